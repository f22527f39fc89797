import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const NAME = "orchd-3f2a9c41-20261101T120000000Z.tar.gz.enc";

const backupRun = record("BackupRun", "One backup, from its start on.", {
  name: field(text, "The file's name in the folder of backups.", NAME),
  started_at: field(time, "When it began."),
  ended_at: nullable(time, "When it ended. `null` while it runs."),
  outcome: nullable(z.enum(["created", "failed"]), "`null` while it runs.", "created"),
  bytes: field(count, "Bytes of the archive so far.", 1_048_576),
  engines: field(
    z.object({
      done: field(count, "Engines whose folders it contains.", 12),
      total: field(count, "Engines of the host.", 12),
    }),
    "Its progress.",
  ),
  incomplete: field(z.array(text), "Engines with unreadable files, with the reasons.", []),
  reason: nullable(text, "Why it failed. `null` unless it did.", null),
});
export type BackupRun = RecordOf<typeof backupRun>;

const backupList = record("BackupList", "The backups of this host.", {
  dir: field(text, "The folder on the daemon's machine.", "/var/lib/orchd/backups"),
  data: field(
    z.array(
      z.object({
        name: field(text, "The file's name.", NAME),
        created_at: field(time, "When it was started."),
        bytes: field(count, "The file's size.", 1_048_576),
        encrypted: field(z.boolean(), "Whether it can be read only with `ORCH_BACKUP_PASSPHRASE`.", true),
      }),
    ),
    "The complete ones, the newest first.",
  ),
  running: nullable(backupRun, "The one that runs. `null` when none does.", null),
  last: nullable(backupRun, "The last one that ended since the daemon's start.", null),
});
export type BackupList = RecordOf<typeof backupList>;

export const BACKUP_RESPONSES = {
  BackupRun: backupRun,
  BackupList: backupList,
};
