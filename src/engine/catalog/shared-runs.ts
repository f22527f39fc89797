/**
 * Runs `work` one at a time. All who call while a run is under way share the next one, which begins after it: each is
 * answered by a run that began after its call, and a hundred calls at once are two runs.
 */
export function sharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const run = work();
      // Its failure is for those who called; the one behind it only waits for its end.
      last = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}
