const BUCKETS = 60;
const BUCKET_MS = 1000;

/** A sliding window over one product's calls of the last minute, weighted by cost. Immutable: `admit` returns the next one. */
export interface RequestWindow {
  /** Cost per second of the 59 seconds before `second`, oldest first. */
  readonly before: readonly number[];
  /** The sum of these costs. */
  readonly usedBefore: number;
  /** The current second since the epoch. */
  readonly second: number;
  /** Cost in the current second. */
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
  /** Seconds until a refused call would be admitted, or after an admitted call until `remaining` grows. */
  readonly resetS: number;
}

/**
 * Counts a call of this cost against `limit` in any 60 seconds. A refused call is not counted. A call that costs more
 * than the whole limit is admitted when the window is empty. `part`: of the cost, the rest of which is counted apart.
 */
export function admit(
  last: RequestWindow,
  limit: number,
  now: number,
  { cost = 1, part = 1 }: { readonly cost?: number; readonly part?: number } = {},
): WindowVerdict {
  const window = moveTo(last, Math.floor(now / BUCKET_MS));
  const used = usedOf(window);
  const charged = rounded(Math.min(cost, Math.max(limit, 1)) * part);
  const admitted = rounded(used + charged) <= limit;
  return {
    admitted,
    window: admitted ? { ...window, current: rounded(window.current + charged) } : window,
    remaining: Math.max(0, rounded(limit - used - (admitted ? charged : 0))),
    resetS: secondsUntilFreed(window, admitted ? 1 : rounded(used + charged - limit)),
  };
}

/** Tenths add up without the error of binary fractions. */
const rounded = (cost: number): number => Math.round(cost * 1000) / 1000;
const sum = (costs: readonly number[]): number => rounded(costs.reduce((total, cost) => total + cost, 0));
const usedOf = ({ usedBefore, current }: RequestWindow): number => rounded(usedBefore + current);

/** Seconds until this cost is older than a minute. */
function secondsUntilFreed({ before }: RequestWindow, wanted: number): number {
  let freed = 0;
  for (const [second, count] of before.entries()) {
    freed = rounded(freed + count);
    if (freed >= wanted) return second + 1;
  }
  return BUCKETS;
}

/** Shifts the window to this second. Most calls fall into the second of the previous call, which needs no shift. */
function moveTo(window: RequestWindow, second: number): RequestWindow {
  const steps = Math.min(second - window.second, BUCKETS);
  if (steps <= 0) return window;
  const gap = Array.from({ length: steps - 1 }, () => 0);
  const before = [...window.before, window.current, ...gap].slice(1 - BUCKETS);
  return { before, usedBefore: sum(before), second, current: 0 };
}
