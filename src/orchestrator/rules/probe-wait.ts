/** Of the interval, either way: engines that began together do not stay together. */
const JITTER = 0.1;
/** In how many moments of an interval engines are asked. */
const MOMENTS = 20;

/**
 * How long to wait before an engine is asked again. It ends at a moment that others share: to wake up for each of two
 * hundred engines costs three times as much as to wake up for ten at once.
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
  const step = intervalMs / MOMENTS;
  const at = nowMs + intervalMs * (1 + JITTER * (2 * random - 1));
  return Math.round(at / step) * step - nowMs;
}
