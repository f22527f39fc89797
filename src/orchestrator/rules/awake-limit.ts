/** What an awake engine takes before any was measured, in MiB. */
export const EXPECTED_ENGINE_MB = 40;
/** For the daemon, PostgreSQL and the system; on a small host half of its memory. */
const RESERVED_MB = 1024;
const MIN_LIMIT = 4;

/** The figure counts as much as this many engines: one engine alone shares no memory, so it shows too much. */
const EXPECTED_WEIGHT = 4;
/** The share of a new measurement in the smoothed one. */
const NEW_SHARE = 0.2;
/** A smaller change keeps the limit. */
const MIN_CHANGE = 0.1;
/** One engine counts at most this many times the median: a large build in one of them is over soon. */
const MAX_TIMES_MEDIAN = 4;

/** How many engines of this size may be awake on a host with this much memory, both in MiB. */
export const awakeLimit = (memoryMb: number, engineMb: number): number =>
  Math.max(MIN_LIMIT, Math.floor((memoryMb - Math.min(RESERVED_MB, memoryMb / 2)) / engineMb));

/**
 * How many may be awake after a start, with `used` awake before. Where the limit has fallen below that, each start takes
 * the place of two: no caller waits for all.
 */
export const limitForStart = (limit: number | null, used: number): number | null =>
  limit === null ? null : Math.max(limit, used - 1);

/** What was measured of awake engines, in MiB. */
export interface EngineMemory {
  /** Smoothed. Null before the first measurement. */
  readonly measuredMb: number | null;
  /** What the limit is derived from. It follows the measured value only in steps. */
  readonly countedMb: number;
}

export const UNMEASURED: EngineMemory = { measuredMb: null, countedMb: EXPECTED_ENGINE_MB };

/** Adds a measurement of some engines, of `awake` ones in all. */
export function withMeasurement(
  { measuredMb, countedMb }: EngineMemory,
  { sizesMb, awake }: { readonly sizesMb: readonly number[]; readonly awake: number },
): EngineMemory {
  if (sizesMb.length === 0) return { measuredMb, countedMb };
  const weight = awake / (awake + EXPECTED_WEIGHT);
  const now = EXPECTED_ENGINE_MB + (typicalMb(sizesMb) - EXPECTED_ENGINE_MB) * weight;
  const smoothed = measuredMb === null ? now : measuredMb + (now - measuredMb) * NEW_SHARE;
  const change = Math.abs(smoothed - countedMb) / countedMb;
  return { measuredMb: smoothed, countedMb: change > MIN_CHANGE ? smoothed : countedMb };
}

/** The mean, in which no engine counts for more than some times the median. */
function typicalMb(sizesMb: readonly number[]): number {
  const sorted = sizesMb.toSorted((one, other) => one - other);
  const most = (sorted[Math.floor(sorted.length / 2)] ?? 0) * MAX_TIMES_MEDIAN;
  return sorted.reduce((sum, one) => sum + Math.min(one, most), 0) / sorted.length;
}
