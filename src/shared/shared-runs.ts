/**
 * Runs `work` one at a time. Calls during a run share the next one, so that each result comes from a run that started
 * after its call.
 */
export function sharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const run = work();
      // The next run waits for the end of this one, whatever its outcome.
      last = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}
