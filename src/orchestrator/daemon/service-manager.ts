import { execa } from "execa";
import type { Logger } from "../../shared/logger.ts";

/** Notifies systemd that the daemon is ready (`Type=notify`). Without a socket it does nothing. */
export async function notifyServiceManager(socket: string | undefined, logger: Logger): Promise<void> {
  if (socket === undefined) return;
  const notified = await execa("systemd-notify", ["--ready", "--no-block"], {
    extendEnv: false,
    env: { PATH: "/usr/bin:/bin", NOTIFY_SOCKET: socket },
    timeout: 3000,
    reject: false,
  });
  if (notified.failed) logger.warn({ reason: notified.shortMessage }, "failed to notify systemd");
}
