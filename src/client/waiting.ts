/** Waits so long; throws the signal's reason when it is aborted first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await within(new Promise<undefined>(() => undefined), { ms, signal, late: () => undefined });
}

/** The promise's value; past its time what `late` gives or throws, and the signal's reason once it is aborted. */
export async function within<T>(
  promise: Promise<T>,
  { ms, signal, late }: { readonly ms: number; readonly signal: AbortSignal; readonly late: () => T },
): Promise<T> {
  signal.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: () => void = () => undefined;
  const over = new Promise<T>((resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * A signal of our own that follows the caller's until it is let go: the caller's may live as long as the program.
 * Given a deadline, it is aborted by that as well.
 */
export class LinkedAbort {
  readonly #own = new AbortController();
  readonly #callers: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #follow = (): void => this.#own.abort(this.#callers?.reason);

  constructor(callers?: AbortSignal, deadline?: { readonly ms: number; readonly reason: () => unknown }) {
    this.#callers = callers;
    if (callers?.aborted === true) this.#follow();
    else callers?.addEventListener("abort", this.#follow, { once: true });
    if (deadline !== undefined) this.#timer = setTimeout(() => this.#own.abort(deadline.reason()), deadline.ms);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own.abort(reason);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener("abort", this.#follow);
  }
}
