const BUCKETS = 60;
const BUCKET_MS = 1000;

/** One product's calls of the last minute. A value: `admit` gives the next one. */
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
  /** Seconds until a call that is refused now would be admitted, or until the window is empty again. */
  readonly resetS: number;
}

/** Counts one call against `limit` calls in any 60 seconds. A refused call is not counted. */
export function admit(last: RequestWindow, limit: number, now: number): WindowVerdict {
  const window = moveTo(last, Math.floor(now / BUCKET_MS));
  const used = window.usedBefore + window.current;
  const admitted = used < limit;
  const oldest = window.usedBefore === 0 ? BUCKETS - 1 : window.before.findIndex((count) => count > 0);
  return {
    admitted,
    window: admitted ? { ...window, current: window.current + 1 } : window,
    remaining: Math.max(0, limit - used - (admitted ? 1 : 0)),
    resetS: oldest + 1,
  };
}

/** Most calls fall into the second of the call before: then nothing has to be moved. */
function moveTo(window: RequestWindow, second: number): RequestWindow {
  const steps = Math.min(second - window.second, BUCKETS);
  if (steps <= 0) return window;
  const gap = Array.from({ length: steps - 1 }, () => 0);
  const before = [...window.before, window.current, ...gap].slice(1 - BUCKETS);
  return { before, usedBefore: before.reduce((sum, count) => sum + count, 0), second, current: 0 };
}
