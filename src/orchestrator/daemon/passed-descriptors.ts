import { closeDescriptor, closeInPrograms, nativeProblem } from "../../sandbox/sockets.ts";

/** The variables of systemd for the daemon alone: sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3). */
export const SERVICE_MANAGER_VARIABLES = [
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "LISTEN_PID",
  "LISTEN_PIDFDID",
  "NOTIFY_SOCKET",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
] as const;

/** `SD_LISTEN_FDS_START` */
const FIRST = 3;
/** `FileDescriptorName=` of the unit orchd.socket, for the daemon's own port. */
const API_NAME = "api";

interface PassedDescriptors {
  /** The daemon's own listening socket. Null: the daemon makes it. */
  readonly api: number | null;
  /** The others, by name. */
  readonly kept: ReadonlyMap<string, number>;
}

/** The descriptors that systemd passed to this process (sd_listen_fds). */
export function passedDescriptors(env: Readonly<Record<string, string | undefined>>, pid: number): PassedDescriptors {
  const kept = new Map<string, number>();
  const count = env["LISTEN_PID"] === String(pid) ? Number(env["LISTEN_FDS"] ?? 0) : 0;
  if (!Number.isInteger(count) || nativeProblem() !== null) return { api: null, kept };
  const names = (env["LISTEN_FDNAMES"] ?? "").split(":");
  for (let index = 0; index < count; index++) {
    const descriptor = FIRST + index;
    const name = names[index] ?? "";
    closeInPrograms(descriptor);
    // Only one descriptor per name is used. systemd keeps duplicates until the name is removed.
    if (kept.has(name)) closeDescriptor(descriptor);
    else kept.set(name, descriptor);
  }
  const api = kept.get(API_NAME) ?? null;
  kept.delete(API_NAME);
  return { api, kept };
}
