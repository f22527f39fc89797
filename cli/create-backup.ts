import type { BackupRun } from "../src/client/records.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { DaemonClient } from "./daemon-client.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";
import { withProgress } from "./progress.ts";

const POLL_MS = 500;

interface CreatedBackup {
  /** The folder of the archive. */
  readonly dir: string;
  readonly run: BackupRun;
}

/** Creates a backup by the daemon and shows its progress. Throws when the backup fails. */
export async function createBackup(client: Pick<DaemonClient, "admin">): Promise<CreatedBackup> {
  const started = await client.admin((admin) => admin.createBackup());
  let shown = started;
  const progress = () =>
    `backing up: ${shown.engines.done} of ${shown.engines.total} engines, ${sizeText(shown.bytes)}`;
  const created = await withProgress(progress, () => waitForEnd(client, started, (run) => (shown = run)));
  if (created.run.outcome === "failed")
    throw new CliFailure("unavailable", `the backup failed: ${safe(created.run.reason)}`);
  return created;
}

/** The outcome of a backup. The daemon records only the last one; an earlier one succeeded if it is listed. */
async function waitForEnd(
  client: Pick<DaemonClient, "admin">,
  { name }: BackupRun,
  onProgress: (run: BackupRun) => void,
): Promise<CreatedBackup> {
  for (;;) {
    const { dir, running, last } = await client.admin((admin) => admin.listBackups());
    if (last?.name === name) return { dir, run: last };
    if (running?.name !== name)
      throw new CliFailure(
        "unavailable",
        "the daemon was restarted during the backup; orchctl backup list shows what is complete",
      );
    onProgress(running);
    await sleep(POLL_MS);
  }
}

export const sizeText = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
