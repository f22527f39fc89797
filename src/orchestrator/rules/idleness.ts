/** What an engine reports of its work. */
interface WorkReport {
  /** ISO time, or null while it works. */
  readonly idle_since: string | null;
  /** Omitted by engines of earlier releases. */
  readonly idle_ms?: number | null | undefined;
}

/**
 * How long an engine has been idle, in milliseconds; null while it works. Engines are not trusted: a time in the future
 * counts as now. The duration is preferred, since the system's time may have changed.
 */
export const idleMsOf = ({ idle_since, idle_ms }: WorkReport, now: number): number | null =>
  idle_ms !== undefined ? idle_ms : idle_since === null ? null : Math.max(0, now - Date.parse(idle_since));
