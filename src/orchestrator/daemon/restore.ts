import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { extractArchive } from "../../backup/extract-archive.ts";
import { type BackupHeader, type BackupManifest, KEYS } from "../../backup/format.ts";
import { InvalidBackup } from "../../backup/invalid-backup.ts";
import { assertKnownSchema, assertRows } from "../../backup/verify-archive.ts";
import { readIfThere, unlessMissing } from "../../shared/files.ts";
import { newId } from "../../shared/ids.ts";
import type { Logger } from "../../shared/logger.ts";
import { Releasers } from "../../shared/releasers.ts";
import { listFolder } from "../fleet/folders/engine-folder.ts";
import { daemonUser } from "../fleet/isolation/owner.ts";
import { type Db, openDatabase } from "../store/database.ts";
import { holdHost } from "../store/host-lock.ts";
import { SCHEMAS, migrateTo, schemaOf } from "../store/migrate.ts";
import { RECORD_TABLES } from "../store/record-dump.ts";
import { isEmptyDatabase, isRestored, loadRecords } from "../store/record-load.ts";
import { SealedBox } from "../store/sealed-box.ts";
import type { Config } from "./config.ts";
import { type ReachableDatabase, locateDatabase } from "./locate-database.ts";
import { RESTORED_FOLDERS, STAGE, batchesOf, removeRestored, finishRestore, placeFolders } from "./restored-files.ts";
import { takesHostPorts } from "./takes-host-ports.ts";
import { markRestore, readRestoreMark, removeRestoreMark } from "./restore-marker.ts";

export const KNOWN_RECORDS = { schemas: SCHEMAS, tables: Object.keys(RECORD_TABLES) };

/** A backup cannot be restored into this installation. The message says what to do. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

interface RestoreParts {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  /** Stops the restore because a daemon has taken the host. */
  readonly takenOver: (error: Error) => void;
  readonly onProgress: (text: string) => void;
  readonly resumeSchedules: boolean;
}

export interface RestoreReport {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  /** Engines that got another port. */
  readonly moved: number;
}

/**
 * Restores a backup into an empty installation. The load decides whether it is done:
 *
 *     mark            no daemon starts here any more
 *     extract         into a folder aside, all hashes checked
 *     rename          engines to their places
 *     load            the records, in one transaction
 *     rename          keys to their places
 *     remove the mark
 *
 * A restore that was interrupted is started again with the same command: it removes what the first one did.
 */
export async function restoreBackup(source: Readable, parts: RestoreParts): Promise<RestoreReport | "restored before"> {
  const { config, logger, resources, stopping, onProgress, resumeSchedules } = parts;
  const { dataDir } = config;
  await assertOwnFolder(dataDir);
  const interrupted = await readRestoreMark(dataDir);
  if (interrupted === null) await assertNoData(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const database = await locateDatabase(parts);
  const { db, newClient, close } = openDatabase(database.owner ?? database.connection, logger);
  resources.push(close);
  const hostId = (await readIfThere(join(dataDir, "host-id")))?.trim() ?? "restore";
  const lock = await holdHost(
    { newClient, hostId, logger, signal: stopping },
    { onWait: refuseRunning, onLoss: parts.takenOver },
  );
  resources.push(() => lock?.release());
  if (interrupted !== null && (await wasLoaded(db, interrupted))) {
    await finishRestore(dataDir);
    return "restored before";
  }
  await assertNoRecords(db, database);
  const restoreId = newId("rst");
  await markRestore(dataDir, restoreId);
  await removeRestored(dataDir);
  try {
    const { header, manifest } = await extract(source, db, parts);
    await assertSealingKey(config, header);
    onProgress("loading the records");
    await placeFolders(dataDir);
    const { moved } = await load(db, { header, manifest, restoreId, config, resumeSchedules });
    await finishRestore(dataDir);
    return { header, manifest, moved };
  } catch (error) {
    // A failed restore leaves the installation empty.
    if (!(await wasLoaded(db, restoreId).catch(() => true))) {
      await removeRestored(dataDir);
      await removeRestoreMark(dataDir);
    }
    throw error;
  }
}

function refuseRunning(): never {
  throw new NotEmpty("an orchd runs in this data folder; stop it first (systemctl stop orchd)");
}

/** A daemon of another user could not use the restored files. */
async function assertOwnFolder(dataDir: string): Promise<void> {
  const found = await unlessMissing(stat(dataDir));
  const { uid } = daemonUser();
  if (found !== null && found.uid !== uid)
    throw new NotEmpty(
      `ORCH_DATA_DIR: ${dataDir} belongs to user ${found.uid}, and this is user ${uid}; restore as that user (docs/operating.md)`,
    );
}

async function assertNoData(dataDir: string): Promise<void> {
  for (const name of RESTORED_FOLDERS)
    if ((await listFolder(join(dataDir, name))).length > 0)
      throw new NotEmpty(
        `ORCH_DATA_DIR: ${join(dataDir, name)} has data; expected a folder without engines, best one that does not exist`,
      );
}

async function assertNoRecords(db: Db, { describe }: ReachableDatabase): Promise<void> {
  if ((await schemaOf(db)) === null) return;
  if (await isEmptyDatabase(db)) return;
  throw new NotEmpty(`the database has records (${describe}); expected an empty one`);
}

async function assertSchema(db: Db, { schema }: BackupHeader): Promise<void> {
  const found = await schemaOf(db);
  if (found === null || SCHEMAS.indexOf(found) <= SCHEMAS.indexOf(schema)) return;
  throw new NotEmpty(
    `the database has the schema ${found}, which is newer than the backup's ${schema}; ` +
      "restore into a database without tables, or a data folder that does not exist",
  );
}

const wasLoaded = async (db: Db, restoreId: string): Promise<boolean> =>
  (await schemaOf(db)) !== null && (await isRestored(db, restoreId));

function extract(source: Readable, db: Db, { config, onProgress }: RestoreParts) {
  let engines = 0;
  return extractArchive(source, join(config.dataDir, STAGE), {
    passphrase: config.backup.passphrase,
    onHeader: async (header) => {
      assertKnownSchema(header, KNOWN_RECORDS);
      await assertSchema(db, header);
      onProgress(`extracting the backup of ${header.created_at}, of host ${header.host_id}`);
    },
    onSection: (section) => {
      if (section.startsWith("engines/") && ++engines % 25 === 0) onProgress(`${engines} engines`);
    },
  });
}

/** Encrypted settings of products can be read only with the key of the backed up host. */
async function assertSealingKey({ dataDir, secretKey }: Config, header: BackupHeader): Promise<void> {
  const stored = (await readIfThere(join(dataDir, STAGE, KEYS, "secret-key")))?.trim();
  const key = secretKey ?? stored;
  if (key !== undefined && new SealedBox(key).token("backup") === header.secret_key_check) return;
  throw new InvalidBackup(
    "ORCH_SECRET_KEY: expected the key of the host that was backed up; the backup does not contain it",
  );
}

interface Load {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  readonly restoreId: string;
  readonly config: Config;
  readonly resumeSchedules: boolean;
}

async function load(
  db: Db,
  { header, manifest, restoreId, config, resumeSchedules }: Load,
): Promise<{ readonly moved: number }> {
  await migrateTo(db, header.schema);
  const rows = new Map<string, number>();
  return loadRecords(db, {
    batches: batchesOf(config.dataDir, rows),
    onLoaded: () => assertRows(manifest, rows),
    destroyed: manifest.destroyed,
    hostId: header.host_id,
    ports: takesHostPorts(config) ? { min: config.portMin, max: config.portMax } : null,
    restoreId,
    createdAt: header.created_at,
    resumeSchedules,
  });
}
