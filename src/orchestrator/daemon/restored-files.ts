import { mkdir, open, readFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { KEYS, RECORDS } from "../../backup/format.ts";
import { recordFile, recordLines } from "../../backup/record-lines.ts";
import { unlessMissing } from "../../shared/files.ts";
import { listFolder, removeEngineFolder, removedFolder } from "../fleet/folders/engine-folder.ts";
import { makeTraversable } from "../fleet/isolation/file-modes.ts";
import { RECORD_TABLES, type RecordBatch } from "../store/record-dump.ts";
import { removeRestoreMark } from "./restore-marker.ts";

/** The subfolder of the data folder into which an archive is extracted. */
export const STAGE = "restore.new";
/** The subfolders of the data folder that a restore fills. */
export const RESTORED_FOLDERS = ["engines", "kept"] as const;

/** Moves the extracted folders to their places. */
export async function placeFolders(dataDir: string): Promise<void> {
  const stage = join(dataDir, STAGE);
  makeTraversable(join(dataDir, "engines"));
  for (const name of RESTORED_FOLDERS)
    for (const entry of await listFolder(join(stage, name))) {
      await mkdir(join(dataDir, name), { recursive: true, mode: 0o700 });
      await rename(join(stage, name, entry), join(dataDir, name, entry));
    }
}

/** Removes the files of an interrupted restore. These folders were empty before it. */
export async function removeRestored(dataDir: string): Promise<void> {
  for (const name of [STAGE, ...RESTORED_FOLDERS])
    await removeEngineFolder(join(dataDir, name), removedFolder(dataDir));
}

/** Moves the keys to their places and removes the mark. Idempotent, so that the next restore can finish it. */
export async function finishRestore(dataDir: string): Promise<void> {
  const keys = join(dataDir, STAGE, KEYS);
  for (const name of await listFolder(keys)) await rename(join(keys, name), join(dataDir, name));
  await using folder = await open(dataDir);
  await folder.sync();
  await removeEngineFolder(join(dataDir, STAGE), removedFolder(dataDir));
  await removeRestoreMark(dataDir);
}

/** The extracted records, in the order in which they can be inserted. Counts their rows. */
export async function* batchesOf(dataDir: string, rows: Map<string, number>): AsyncGenerator<RecordBatch> {
  const folder = join(dataDir, STAGE, RECORDS);
  for (const table of Object.keys(RECORD_TABLES)) {
    const count = ((await unlessMissing(readdir(join(folder, table)))) ?? []).length;
    for (let number = 1; number <= count; number++) {
      const path = recordFile(table, number);
      const lines = recordLines(path, await readFile(join(folder, path), "utf8"));
      rows.set(table, (rows.get(table) ?? 0) + lines.length);
      yield { table, lines };
    }
  }
}
