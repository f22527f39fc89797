const BUCKETS = 60;
const BUCKET_MS = 1000;

/** One product's calls of the last minute, by their cost. A value: `admit` gives the next one. */
export interface RequestWindow {
  /** Calls of the 59 seconds before `second`, the oldest first. */
  readonly before: readonly number[];
  /** Their sum. */
  readonly usedBefore: number;
  /** The second since the epoch that is being counted. */
  readonly second: number;
  /** Calls in it. */
  readonly current: number;
}

export const emptyWindow = (now: number): RequestWindow => ({
  before: Array.from({ length: BUCKETS - 1 }, () => 0),
  usedBefore: 0,
  second: Math.floor(now / BUCKET_MS),
  current: 0,
});

export interface WindowVerdict {
  readonly admitted: boolean;
  readonly window: RequestWindow;
  readonly remaining: number;
  /** Seconds until a call that is refused now would be admitted; of an admitted one, until more is left than now. */
  readonly resetS: number;
}

/**
 * Counts a call of this cost against `limit` in any 60 seconds. A refused call is not counted. One that costs more
 * than the whole limit is admitted when nothing else was.
 */
export function admit(last: RequestWindow, limit: number, now: number, cost = 1): WindowVerdict {
  const window = moveTo(last, Math.floor(now / BUCKET_MS));
  const used = window.usedBefore + window.current;
  const charged = Math.min(cost, Math.max(limit, 1));
  const admitted = used + charged <= limit;
  return {
    admitted,
    window: admitted ? { ...window, current: window.current + charged } : window,
    remaining: Math.max(0, limit - used - (admitted ? charged : 0)),
    resetS: secondsUntilFreed(window, admitted ? 1 : used + charged - limit),
  };
}

/** Seconds until so many of the counted calls are more than a minute old. */
function secondsUntilFreed({ before }: RequestWindow, wanted: number): number {
  let freed = 0;
  for (const [second, count] of before.entries()) {
    freed += count;
    if (freed >= wanted) return second + 1;
  }
  return BUCKETS;
}

/** Most calls fall into the second of the call before: then nothing has to be moved. */
function moveTo(window: RequestWindow, second: number): RequestWindow {
  const steps = Math.min(second - window.second, BUCKETS);
  if (steps <= 0) return window;
  const gap = Array.from({ length: steps - 1 }, () => 0);
  const before = [...window.before, window.current, ...gap].slice(1 - BUCKETS);
  return { before, usedBefore: before.reduce((sum, count) => sum + count, 0), second, current: 0 };
}
