/** The jitter of a wait, as a share of the interval in both directions. */
const JITTER = 0.1;
/** Probes are aligned to this many ticks of an interval. */
const TICKS = 20;

/**
 * The wait before an engine's next probe. It ends on a shared tick: for 200 engines, one wake-up per engine costs three
 * times the CPU of one wake-up for ten (bench row "the daemon's CPU, 200 idle engines").
 */
export function probeWaitMs({
  intervalMs,
  nowMs,
  random,
}: {
  readonly intervalMs: number;
  readonly nowMs: number;
  readonly random: number;
}): number {
  const step = intervalMs / TICKS;
  const at = nowMs + intervalMs * (1 + JITTER * (2 * random - 1));
  return Math.round(at / step) * step - nowMs;
}
