import { execa } from "execa";
import type { Logger } from "../../shared/logger.ts";

/** Tells systemd that the daemon serves (`Type=notify`); elsewhere nothing. */
export async function notifyServiceManager(socket: string | undefined, logger: Logger): Promise<void> {
  if (socket === undefined) return;
  const told = await execa("systemd-notify", ["--ready", "--no-block"], {
    extendEnv: false,
    env: { PATH: "/usr/bin:/bin", NOTIFY_SOCKET: socket },
    timeout: 3000,
    reject: false,
  });
  if (told.failed) logger.warn({ reason: told.shortMessage }, "systemd could not be told that orchd is ready");
}
