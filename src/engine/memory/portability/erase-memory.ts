import { type FileHandle, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import { entriesOf, entryPath, openFolderAsOwner, removeFolder } from "../../../sandbox/folders.ts";
import { CHECKPOINTS_FOLDER, TEMPORARY_PREFIX } from "../../../contract/engine/folders.ts";
import type { MemoryErased } from "../../../contract/engine/memory-file.ts";
import type { StateValues } from "../../store/engine-state.ts";
import type { Store } from "../../store/open-store.ts";
import { ImportStage } from "./import-stage.ts";

/** Tables without data of conversations. */
const KEPT: ReadonlySet<string> = new Set(["grants", "tool_definitions", "tool_servers", "engine_state", "usage_days"]);
/** Workspace folders of long tool outputs and of attachments. */
const OUTPUTS = [".orch", "outputs"] as const;
const ATTACHMENTS = [".orch", "attachments"] as const;
const COUNTED_AT_ONCE = 256;
/** A tool server may add files as fast as they are removed. */
const REMOVE_TIMEOUT_MS = 60_000;
const SET_ASIDE = /^engine\.db\.corrupt-/;

export interface ErasePlace {
  readonly store: Store;
  readonly workspaceDir: string;
}

export type LastEvent = StateValues["events_floor"];

/**
 * Erases all conversations and memories from the tables, the file's free pages and the WAL. An interrupted erasure is
 * finished by the next start. Later events continue from the number of the last one.
 */
export async function eraseMemory({ store, workspaceDir }: ErasePlace, lastEvent: LastEvent): Promise<MemoryErased> {
  const rows = emptyTables(store, lastEvent);
  const files = await finishErasure({ store, workspaceDir });
  return { erased: { ...rows, ...files } };
}

/** The rest of an erasure after its tables were emptied. */
export async function finishErasure({ store, workspaceDir }: ErasePlace): Promise<Readonly<Record<string, number>>> {
  ImportStage.remove(store.dataDir);
  const outputs = await removeOwnFolder({ dataDir: store.dataDir, workspaceDir }, OUTPUTS);
  const attachments = await removeOwnFolder({ dataDir: store.dataDir, workspaceDir }, ATTACHMENTS);
  await removeFolder(join(store.dataDir, CHECKPOINTS_FOLDER), { aside: store.dataDir, prefix: TEMPORARY_PREFIX });
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
function emptyTables(store: Store, lastEvent: LastEvent): Record<string, number> {
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
        store.state.remove("profile");
        store.state.remove("messages_indexed");
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

/**
 * Removes a folder of the workspace, through descriptors of its parents: a tool server that runs meanwhile may exchange any
 * of them for a link. Returns the number of its files.
 */
async function removeOwnFolder(
  { dataDir, workspaceDir }: { readonly dataDir: string; readonly workspaceDir: string },
  [parent, name]: readonly [parent: string, name: string],
): Promise<number> {
  const found = await openUnlessOther(Buffer.from(workspaceDir));
  if (found === null) return 0;
  await using workspace = found;
  const opened = await openUnlessOther(entryPath(workspace, parent));
  if (opened === null) return 0;
  await using folder = opened;
  const path = entryPath(folder, name);
  const files = await countEntries(path);
  // The next start removes what is left with the folders of tools.
  await removeFolder(path, { aside: dataDir, prefix: TEMPORARY_PREFIX, timeoutMs: REMOVE_TIMEOUT_MS });
  return files;
}

async function countEntries(path: Buffer): Promise<number> {
  const opened = await openUnlessOther(path);
  if (opened === null) return 0;
  await using folder = opened;
  let count = 0;
  for await (const some of entriesOf(folder, COUNTED_AT_ONCE)) count += some.length;
  return count;
}

/** Null for a missing folder, a link and a file. */
async function openUnlessOther(path: Buffer): Promise<FileHandle | null> {
  try {
    return await openFolderAsOwner(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}

/** Damaged stores that were set aside still hold old memories. */
async function removeSetAside(dataDir: string): Promise<number> {
  const names = (await readdir(dataDir)).filter((name) => SET_ASIDE.test(name));
  for (const name of names) await rm(join(dataDir, name), { force: true });
  return names.filter((name) => !/-(wal|shm)$/.test(name)).length;
}
