/** Runs `work` until it ends, `timeoutMs` have passed, or `signal` is aborted. Its own signal is aborted with it. */
export async function withDeadline<T>(
  { timeoutMs, signal: outer }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    own.abort(reason);
    ended.reject(reason);
  };
  const follow = () => end(outer?.reason);
  const late = () => end(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" }));
  const timer = setTimeout(late, timeoutMs);
  outer?.addEventListener("abort", follow, { once: true });
  try {
    outer?.throwIfAborted();
    const result = work(own.signal);
    // A look-up of a name cannot be aborted.
    result.catch(() => undefined);
    return await Promise.race([result, ended.promise]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", follow);
  }
}
