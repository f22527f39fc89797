import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import type { MemoryErased } from "../../../contract/memory-file.ts";
import type { StateValues } from "../../store/engine-state.ts";
import type { Store } from "../../store/open-store.ts";
import { ImportStage } from "./import-stage.ts";

/** Tables without data of conversations. */
const KEPT: ReadonlySet<string> = new Set(["grants", "tool_definitions", "engine_state", "usage_days"]);
/** Workspace folders of long tool outputs and of attachments. */
const OUTPUTS = [".orch", "outputs"] as const;
const ATTACHMENTS = [".orch", "attachments"] as const;
const SET_ASIDE = /^engine\.db\.corrupt-/;

export interface EraseParts {
  readonly store: Store;
  readonly workspaceDir: string;
  /** The sequence number of the last event; later events continue from it. */
  readonly lastEvent: () => StateValues["events_floor"];
}

/**
 * Erases all conversations and memories from the tables, the file's free pages and the WAL. An interrupted erasure is
 * finished by the next start.
 */
export async function eraseMemory({ store, workspaceDir, lastEvent }: EraseParts): Promise<MemoryErased> {
  const rows = emptyTables(store, lastEvent());
  const files = await finishErasure({ store, workspaceDir });
  return { erased: { ...rows, ...files } };
}

/** The rest of an erasure after its tables were emptied. */
export async function finishErasure({
  store,
  workspaceDir,
}: Pick<EraseParts, "store" | "workspaceDir">): Promise<Readonly<Record<string, number>>> {
  ImportStage.remove(store.dataDir);
  const outputs = await removeFolder(workspaceDir, OUTPUTS);
  const attachments = await removeFolder(workspaceDir, ATTACHMENTS);
  const setAside = await removeSetAside(store.dataDir);
  store.db.exec("vacuum");
  truncateWal(store);
  store.transaction(() => store.state.remove("erasure"), { durable: true });
  return { outputs, attachments, stores_set_aside: setAside };
}

/**
 * Drops and recreates every table that is not in `KEPT`, in one transaction. Prepared statements then use the new
 * tables.
 */
function emptyTables(store: Store, lastEvent: StateValues["events_floor"]): Record<string, number> {
  const { db } = store;
  const tables = db.prepare("pragma main.table_list").all().filter(isErased);
  const counts: Record<string, number> = {};
  // SQLite ignores this pragma inside a transaction. No row is left that could refer to another.
  db.exec("pragma foreign_keys = off");
  try {
    store.transaction(
      () => {
        store.state.set("events_floor", lastEvent);
        store.state.set("erasure", { at: Date.now() });
        store.state.remove("import");
        store.reset.clear();
        const names = tables.map(({ name }) => String(name));
        const schema = db.prepare("select tbl_name, sql from sqlite_schema where sql is not null order by rowid").all();
        for (const { name, type } of tables) {
          if (type === "table")
            counts[String(name)] = Number(db.prepare(`select count(*) as n from "${String(name)}"`).get()?.["n"]);
          db.exec(`drop table "${String(name)}"`);
        }
        for (const { tbl_name: table, sql } of schema) if (names.includes(String(table))) db.exec(String(sql));
      },
      { durable: true },
    );
  } finally {
    db.exec("pragma foreign_keys = on");
  }
  return counts;
}

/** The shadow tables of a full-text index come and go with it. */
const isErased = ({ name, type }: Record<string, unknown>): boolean =>
  (type === "table" || type === "virtual") && !String(name).startsWith("sqlite_") && !KEPT.has(String(name));

/** The WAL still holds old pages: checkpoint and truncate it. */
function truncateWal({ db }: Store): void {
  const { busy } = db.prepare("pragma wal_checkpoint(truncate)").get() ?? {};
  if (busy !== 0)
    throw new Error("failed to truncate the WAL: the store has a reader; restart the engine to finish the erasure");
}

/** Removes the folder's files. If a tool replaced the folder by a link, removes only the link. */
async function removeFolder(workspaceDir: string, path: readonly string[]): Promise<number> {
  let folder = workspaceDir;
  for (const [at, part] of path.entries()) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(absent);
    if (found === null) return 0;
    if (found.isDirectory()) continue;
    if (at === path.length - 1) await rm(folder, { force: true });
    return 0;
  }
  const files = await readdir(folder);
  await rm(folder, { recursive: true, force: true });
  return files.length;
}

/** Damaged stores that were set aside still hold old memories. */
async function removeSetAside(dataDir: string): Promise<number> {
  const names = (await readdir(dataDir)).filter((name) => SET_ASIDE.test(name));
  for (const name of names) await rm(join(dataDir, name), { force: true });
  return names.filter((name) => !/-(wal|shm)$/.test(name)).length;
}

function absent(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw error;
}
