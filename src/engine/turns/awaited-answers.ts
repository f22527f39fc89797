import { type Slot, TurnParked } from "./task-slots.ts";

export type Unanswered = "cancelled" | "expired";

interface Awaited {
  readonly id: string;
  readonly createdAt: number;
  /** Counts the wait in the turn's slot, until the returned function is called. */
  readonly begin: () => () => void;
  /** Stores that nobody answered, unless it has an end already. */
  readonly close: (reason: Unanswered) => void;
  /** Ends the wait without an answer while the turn goes on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What turns of this process wait for from outside. A turn that ends first closes what it waits for; a parked one keeps
 * it for the next start. The deadline counts from the creation of what is asked, across restarts.
 */
export class AwaitedAnswers<End> {
  readonly #waiting = new Map<string, (end: End) => void>();
  readonly #ttlMs: number | null;
  readonly #unanswered: End;

  /** `ttlMs`: time to answer; null for no limit. `unanswered`: what the turn gets then. */
  constructor({ ttlMs, unanswered }: { readonly ttlMs: number | null; readonly unanswered: End }) {
    this.#ttlMs = ttlMs;
    this.#unanswered = unanswered;
  }

  /** Rejects with the abort reason when the turn ends first. */
  async wait(slot: Slot, { id, createdAt, begin, close, signal }: Awaited): Promise<End> {
    const ended = Promise.withResolvers<End>();
    this.#waiting.set(id, ended.resolve);
    const resume = begin();
    const onTurnAbort = () => ended.reject(slot.signal.reason);
    slot.signal.addEventListener("abort", onTurnAbort, { once: true });
    const closeAs = (reason: Unanswered) => {
      // An ended turn closes it itself.
      if (slot.signal.aborted) return;
      try {
        close(reason);
        ended.resolve(this.#unanswered);
      } catch (error) {
        ended.reject(error);
      }
    };
    const onCancel = () => closeAs("cancelled");
    signal?.addEventListener("abort", onCancel, { once: true });
    const expiry = this.#expireLater(createdAt, () => closeAs("expired"));
    try {
      return await ended.promise;
    } catch (error) {
      if (!(error instanceof TurnParked)) close("cancelled");
      throw error;
    } finally {
      clearTimeout(expiry);
      resume();
      slot.signal.removeEventListener("abort", onTurnAbort);
      signal?.removeEventListener("abort", onCancel);
      this.#waiting.delete(id);
    }
  }

  /** Gives the answer to the turn that waits for it, if one does. */
  answered(id: string, end: End): void {
    this.#waiting.get(id)?.(end);
  }

  get size(): number {
    return this.#waiting.size;
  }

  #expireLater(createdAt: number, expire: () => void): NodeJS.Timeout | undefined {
    if (this.#ttlMs === null) return undefined;
    return setTimeout(expire, Math.max(0, createdAt + this.#ttlMs - Date.now())).unref();
  }
}
