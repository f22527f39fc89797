import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveWriter, fileMember, folderMember, one } from "../../backup/archive-writer.ts";
import { completePartial, openPartial } from "../../backup/backup-files.ts";
import { FORMAT, KEYS, RECORDS, engineSection, keptSection } from "../../backup/format.ts";
import { recordFile } from "../../backup/record-lines.ts";
import type { BackupRun } from "../../contract/orchestrator/backup.ts";
import { isoTime } from "../../shared/clock.ts";
import { unlessMissing } from "../../shared/files.ts";
import { VERSION } from "../../shared/version.ts";
import type { KeptData, StoredEngine } from "../fleet/engine-storage.ts";
import type { HostContext } from "../host-context.ts";
import { schemaOf } from "../store/migrate.ts";
import { type RecordBatch, dumpRecords } from "../store/record-dump.ts";

type Host = Pick<
  HostContext,
  "db" | "backend" | "events" | "backups" | "box" | "settings" | "now" | "logger" | "stopping"
>;

/** Writes to a temporary name, so that no incomplete archive has the name of a backup. */
export async function writeArchive(host: Host, name: string): Promise<void> {
  const { dir, passphrase } = host.backups.settings;
  const partial = await openPartial(dir, host.events.hostId, name);
  const archive = new ArchiveWriter(partial, { passphrase });
  try {
    await writeSections(host, archive);
  } catch (error) {
    const cause = await archive.abort(error instanceof Error ? error : new Error(String(error)));
    await rm(partial, { force: true });
    throw cause;
  }
  progress(host, { bytes: archive.bytes });
  await completePartial(dir, name);
}

async function writeSections(host: Host, archive: ArchiveWriter): Promise<void> {
  await archive.header({
    kind: "orchd backup",
    format: FORMAT,
    version: VERSION,
    created_at: isoTime(host.now()),
    host_id: host.events.hostId,
    schema: (await schemaOf(host.db)) ?? "",
    secret_key_check: host.box.token("backup"),
  });
  // Before the records: an audit head without its line would look like a truncated audit log.
  await writeKeys(host, archive);
  const { engines, rows } = await writeRecords(host, archive);
  const destroyed: string[] = [];
  progress(host, { engines: { done: 0, total: engines.length } });
  for (const [at, engine] of engines.entries()) {
    const isThere = await writeStorage(host, archive, { section: engineSection(engine.id), what: engine });
    if (!isThere) destroyed.push(engine.id);
    progress(host, { engines: { done: at + 1, total: engines.length }, bytes: archive.bytes });
  }
  for (const kept of await host.backend.storage.listKept())
    await writeStorage(host, archive, { section: keptSection(kept.productId, kept.user), what: kept });
  await archive.finish({ rows, destroyed });
}

function progress({ backups }: Host, more: Partial<BackupRun>): void {
  if (backups.running !== null) backups.running = { ...backups.running, ...more };
}

async function writeKeys({ backups, settings }: Host, archive: ArchiveWriter): Promise<void> {
  await archive.section(KEYS, async (add) => {
    for (const name of backups.settings.keyFiles) {
      const content = await unlessMissing(readFile(join(settings.dataDir, name)));
      if (content !== null) await add(fileMember(name, content.length), one(content));
    }
    return null;
  });
}

async function writeRecords({ db, events, backups }: Host, archive: ArchiveWriter) {
  const rows: Record<string, number> = {};
  const batches: Record<string, number> = {};
  let engines: readonly StoredEngine[] = [];
  await archive.section(RECORDS, async (add) => {
    const write = async ({ table, lines }: RecordBatch): Promise<void> => {
      if (batches[table] === undefined) await add(folderMember(table));
      const number = (batches[table] = (batches[table] ?? 0) + 1);
      rows[table] = (rows[table] ?? 0) + lines.length;
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      await add(fileMember(recordFile(table, number), content.length), one(content));
    };
    ({ engines } = await dumpRecords(
      db,
      { hostId: events.hostId, isEncrypted: backups.settings.passphrase !== null },
      write,
    ));
    return null;
  });
  return { engines, rows };
}

/** Whether there are files. Unreadable files are reported and do not fail the backup. */
async function writeStorage(
  host: Host,
  archive: ArchiveWriter,
  { section, what }: { readonly section: string; readonly what: StoredEngine | KeptData },
): Promise<boolean> {
  const { backend, backups, stopping } = host;
  stopping.throwIfAborted();
  let isThere = true;
  await archive.section(section, async (add) => {
    const outcome = await backend.storage.read(what, { signal: stopping, take: add });
    isThere = outcome.kind === "read";
    const notes = outcome.kind === "read" && outcome.notes !== "" ? outcome.notes : null;
    if (notes !== null) {
      host.logger.warn({ section, notes }, "failed to back up some files of an engine");
      progress(host, { incomplete: [...(backups.running?.incomplete ?? []), `${section}: ${notes}`] });
    }
    return notes;
  });
  return isThere;
}
