import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryErased } from "../../../contract/memory-file.ts";
import type { StateValues } from "../../store/engine-state.ts";
import type { Store } from "../../store/open-store.ts";
import { ImportStage } from "./import-stage.ts";

/** What is not of the user's conversations: what a person allowed, how tools were seen, what the store knows of itself. */
const KEPT: ReadonlySet<string> = new Set(["grants", "tool_definitions", "engine_state"]);
/** Where tools' long outputs are put, in the workspace. */
const OUTPUTS = [".orch", "outputs"] as const;
const SET_ASIDE = /^engine\.db\.corrupt-/;

export interface EraseParts {
  readonly store: Store;
  readonly workspaceDir: string;
  /** The stamp of the last event: those that come are numbered on from it. */
  readonly lastEvent: () => StateValues["events_floor"];
}

/**
 * Leaves nothing of what was said and remembered: not in the tables, nor in the file's free pages, nor in its log. Once
 * begun it is brought to its end, by the next start if need be.
 */
export async function eraseMemory({ store, workspaceDir, lastEvent }: EraseParts): Promise<MemoryErased> {
  const rows = emptyTables(store, lastEvent());
  const files = await finishErasure({ store, workspaceDir });
  return { erased: { ...rows, ...files } };
}

/** What is left to do of an erasure that was begun. */
export async function finishErasure({
  store,
  workspaceDir,
}: Pick<EraseParts, "store" | "workspaceDir">): Promise<Readonly<Record<string, number>>> {
  ImportStage.remove(store.dataDir);
  const outputs = await removeOutputs(workspaceDir);
  const setAside = await removeSetAside(store.dataDir);
  store.db.exec("vacuum");
  emptyLog(store);
  store.transaction(() => store.state.remove("erasure"), { durable: true });
  return { outputs, stores_set_aside: setAside };
}

/**
 * All tables that are not to be kept, whatever they are called, in one transaction: dropped and made again, which takes
 * as long as it takes to free their pages. What was prepared for them finds the new ones.
 */
function emptyTables(store: Store, lastEvent: StateValues["events_floor"]): Record<string, number> {
  const { db } = store;
  const tables = db.prepare("pragma main.table_list").all().filter(isErased);
  const counts: Record<string, number> = {};
  // Within a transaction it could not be turned off; no row is left that could refer to anything.
  db.exec("pragma foreign_keys = off");
  try {
    store.transaction(
      () => {
        store.state.set("events_floor", lastEvent);
        store.state.set("erasure", { at: Date.now() });
        store.state.remove("import");
        store.reset.forget();
        const names = tables.map(({ name }) => String(name));
        const made = db.prepare("select tbl_name, sql from sqlite_schema where sql is not null order by rowid").all();
        for (const { name, type } of tables) {
          if (type === "table")
            counts[String(name)] = Number(db.prepare(`select count(*) as n from "${String(name)}"`).get()?.["n"]);
          db.exec(`drop table "${String(name)}"`);
        }
        for (const { tbl_name: of, sql } of made) if (names.includes(String(of))) db.exec(String(sql));
      },
      { durable: true },
    );
  } finally {
    db.exec("pragma foreign_keys = on");
  }
  return counts;
}

/** A full-text index has tables of its own, which come and go with it. */
const isErased = ({ name, type }: Record<string, unknown>): boolean =>
  (type === "table" || type === "virtual") && !String(name).startsWith("sqlite_") && !KEPT.has(String(name));

/** The log still holds pages as they were: it is folded into the file and cut to nothing. */
function emptyLog({ db }: Store): void {
  const { busy } = db.prepare("pragma wal_checkpoint(truncate)").get() ?? {};
  if (busy !== 0) throw new Error("the store's log could not be emptied: somebody reads the store");
}

/** The folder's own files; where a tool has put a link in its place, only the link. */
async function removeOutputs(workspaceDir: string): Promise<number> {
  let folder = workspaceDir;
  for (const part of OUTPUTS) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(absent);
    if (found === null) return 0;
    if (found.isDirectory()) continue;
    if (part === OUTPUTS[1]) await rm(folder, { force: true });
    return 0;
  }
  const files = await readdir(folder);
  await rm(folder, { recursive: true, force: true });
  return files.length;
}

/** Damaged stores of before hold what was remembered then. */
async function removeSetAside(dataDir: string): Promise<number> {
  const names = (await readdir(dataDir)).filter((name) => SET_ASIDE.test(name));
  for (const name of names) await rm(join(dataDir, name), { force: true });
  return names.filter((name) => !/-(wal|shm)$/.test(name)).length;
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
