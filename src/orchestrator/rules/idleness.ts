/** What an engine reports of its work. */
interface WorkReport {
  /** ISO time, or null while it works. */
  readonly idle_since: string | null;
}

/** How long an engine has been idle, in milliseconds. Engines are not trusted: a time in the future counts as now. */
export const idleMsOf = ({ idle_since }: WorkReport, now: number): number =>
  idle_since === null ? 0 : Math.max(0, now - Date.parse(idle_since));

/**
 * The number of engines that may be awake at the same time on a host with this much memory, in MiB: 1 GiB is for the
 * daemon, PostgreSQL and the system, and an idle engine takes up to 32 MiB.
 */
export const defaultMaxAwake = (memoryMb: number): number => Math.max(16, Math.floor((memoryMb - 1024) / 32));
