import { backupName, pruneBackups } from "../../backup/backup-files.ts";
import type { BackupRun } from "../../contract/orchestrator/backup.ts";
import { isoTime } from "../../shared/clock.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import { writeArchive } from "./write-backup.ts";

type Host = Pick<
  HostContext,
  "db" | "backend" | "events" | "backups" | "box" | "settings" | "now" | "logger" | "stopping"
>;

/** Starts a backup of this host on an operator's request. Tested in test/end-to-end/backup.test.ts. */
export async function requestBackup(host: Host): Promise<BackupRun> {
  assertNotRunning(host);
  const detail = { host_id: host.events.hostId };
  await host.db.transaction().execute((trx) => appendAudit(trx, { action: "host.backup_requested", detail }));
  return startBackup(host);
}

function assertNotRunning({ backups: { running } }: Host): void {
  if (running !== null)
    throw new ApiError("OPERATION_IN_PROGRESS", `the backup ${running.name} is running; retry when it has ended`);
}

/** Starts a backup in the background; `backups.settled` waits for its end. At most one runs. */
export function startBackup(host: Host): BackupRun {
  const { backups } = host;
  assertNotRunning(host);
  const at = new Date(host.now());
  const name = backupName(host.events.hostId, at, { encrypted: backups.settings.passphrase !== null });
  const run: BackupRun = {
    name,
    started_at: at.toISOString(),
    ended_at: null,
    outcome: null,
    bytes: 0,
    engines: { done: 0, total: 0 },
    incomplete: [],
    reason: null,
  };
  backups.running = run;
  backups.settled = outsideRequests(() => runBackup(host, name));
  return run;
}

/** Never rejects. The outcome is an event. */
async function runBackup(host: Host, name: string): Promise<void> {
  const { backups, logger } = host;
  const { dir, keep } = backups.settings;
  try {
    await writeArchive(host, name);
    await end(host, "created", null);
    await pruneBackups(dir, host.events.hostId, keep);
  } catch (error) {
    logger.error({ err: error, backup: name }, "failed to create a backup");
    await end(host, "failed", error instanceof Error ? error.message : String(error));
  }
}

async function end({ db, backups, events, now, logger }: Host, outcome: "created" | "failed", reason: string | null) {
  const { running } = backups;
  if (running === null) return;
  backups.end({ ...running, outcome, reason, ended_at: isoTime(now()) });
  const { name, bytes, engines, incomplete } = running;
  const data = { name, bytes, engines: engines.done, incomplete: incomplete.length };
  try {
    const type = outcome === "created" ? "host.backup_created" : "host.backup_failed";
    await db.transaction().execute((trx) => events.insert(trx, { type, reason, data }));
  } catch (error) {
    logger.warn({ err: error }, "failed to store the event of a backup");
  }
}
