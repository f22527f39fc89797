const BUCKETS = 60;
const BUCKET_MS = 1000;

/** One product's calls of the last minute, by second. A value: `admit` gives the next one. */
export interface RequestWindow {
  readonly counts: readonly number[];
  /** The second (since the epoch) that the last bucket counts. */
  readonly second: number;
}

export const emptyWindow = (now: number): RequestWindow => ({
  counts: Array.from({ length: BUCKETS }, () => 0),
  second: Math.floor(now / BUCKET_MS),
});

export interface WindowVerdict {
  readonly admitted: boolean;
  readonly window: RequestWindow;
  readonly remaining: number;
  /** Seconds until a call that is refused now would be admitted, or until the window is empty again. */
  readonly resetS: number;
}

/** Counts one call against `limit` calls in any 60 seconds. A refused call is not counted. */
export function admit(before: RequestWindow, limit: number, now: number): WindowVerdict {
  const second = Math.floor(now / BUCKET_MS);
  const counts = shift(before, second);
  const used = counts.reduce((sum, count) => sum + count, 0);
  const admitted = used < limit;
  if (admitted) counts[BUCKETS - 1] = (counts[BUCKETS - 1] ?? 0) + 1;
  const oldest = counts.findIndex((count) => count > 0);
  return {
    admitted,
    window: { counts, second },
    remaining: Math.max(0, limit - used - (admitted ? 1 : 0)),
    resetS: oldest === -1 ? BUCKETS : oldest + 1,
  };
}

function shift({ counts, second }: RequestWindow, to: number): number[] {
  const steps = Math.min(Math.max(to - second, 0), BUCKETS);
  return [...counts.slice(steps), ...Array.from({ length: steps }, () => 0)];
}
