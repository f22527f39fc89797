/** A longer timer overflows and fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits `ms`; throws the signal's reason if it is aborted first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await withTimeout(new Promise<undefined>(() => undefined), { ms, signal, onTimeout: () => undefined });
}

/** The promise's value. After `ms` it is what `onTimeout` returns or throws; an abort throws the signal's reason. */
export async function withTimeout<T>(
  promise: Promise<T>,
  { ms, signal, onTimeout }: { readonly ms: number; readonly signal: AbortSignal; readonly onTimeout: () => T },
): Promise<T> {
  signal.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: () => void = () => undefined;
  const ended = new Promise<T>((resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    timer = setTimeout(
      () => {
        try {
          resolve(onTimeout());
        } catch (error) {
          reject(error);
        }
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * An AbortController that follows an outer signal or a deadline until it is disposed. Disposing removes the listener from
 * the outer signal, which may live as long as the program.
 */
export class LinkedAbort {
  readonly #own = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #follow = (): void => this.#own.abort(this.#outer?.reason);

  constructor(outer?: AbortSignal, deadline?: { readonly ms: number; readonly reason: () => unknown }) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
    if (deadline !== undefined)
      this.#timer = setTimeout(() => this.#own.abort(deadline.reason()), Math.min(deadline.ms, MAX_TIMER_MS));
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own.abort(reason);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}
