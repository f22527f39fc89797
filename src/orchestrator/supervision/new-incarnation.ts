import { randomUUID } from "node:crypto";
import type { HostContext } from "../host-context.ts";

/** Beyond the boot's own time limit: whoever boots ends it, and only if that fails somebody else does. */
const GRACE_MS = 20_000;

export const bootDeadline = (host: Pick<HostContext, "settings" | "now">): Date =>
  new Date(host.now() + host.settings.bootTimeoutMs + GRACE_MS);

/** What a row gets when a new life begins: nothing of the process before. */
export function newIncarnation<T extends object>(host: Pick<HostContext, "settings" | "now">, more: T) {
  return {
    incarnation: randomUUID(),
    pid: null,
    boot_id: null,
    process_start: null,
    next_restart_at: null,
    stopped_at: null,
    deadline_at: bootDeadline(host),
    ...more,
  };
}
