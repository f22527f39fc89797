import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import { startBackup } from "../operations/create-backup.ts";

type Host = Pick<
  HostContext,
  "db" | "backend" | "events" | "backups" | "box" | "settings" | "now" | "logger" | "stopping"
>;

const CHECK_MS = 60_000;
const RETRY_MS = 15 * 60_000;

/** Starts a backup whenever the newest archive is older than the interval, until the daemon stops. */
export async function scheduleBackups(host: Host): Promise<void> {
  const { backups, now, stopping, logger } = host;
  const { everyMs } = backups.settings;
  if (everyMs === null) return;
  do {
    try {
      const [newest] = await backups.files();
      const isOld = newest === undefined || now() - Date.parse(newest.created_at) >= everyMs;
      const { failedAt } = backups;
      const mayRetry = failedAt === null || performance.now() - failedAt >= RETRY_MS;
      if (isOld && backups.running === null && mayRetry) startBackup(host);
    } catch (error) {
      logger.error({ err: error }, "failed to check for a due backup");
    }
  } while (await delay(CHECK_MS, stopping));
}
