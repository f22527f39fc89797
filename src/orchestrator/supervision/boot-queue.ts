import PQueue from "p-queue";
import { delay } from "../../shared/clock.ts";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";
import { ApiError } from "../api-error.ts";

const MAX_WAIT_MS = 15_000;
/** A database that is well answers sooner. */
const ANSWER_MS = 1000;

export interface BootTurn {
  /** Products take turns. */
  readonly productId: string;
  /** A client waits: goes before the restarts of its product, but not for long. */
  readonly requested: boolean;
  /** Leaves the queue; what has begun is not ended by it. */
  readonly signal?: AbortSignal;
}

/** The boot was called off while it waited for its turn. */
export class BootCancelled extends Error {
  override readonly name = "BootCancelled";
}

/** One of the places of those that start at once. Only the start of a process needs it, not what is waited for beside it. */
export interface BootSlot {
  /** Gives the slot back for good: the process runs. */
  release(): void;
  /** Awaits the database. What does not answer within a moment is awaited without the slot, which is then taken again. */
  outside<T>(answer: Promise<T>): Promise<T>;
}

/** How many engines start at once on this host, and who is next. */
export class BootQueue {
  readonly #queue: PQueue<FairQueue, FairOptions>;
  readonly #maxWaitMs: number;

  constructor(concurrency: number, maxWaitMs = MAX_WAIT_MS) {
    this.#queue = new PQueue({ concurrency, queueClass: FairQueue });
    this.#maxWaitMs = maxWaitMs;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get starting(): number {
    return this.#queue.pending;
  }

  /** Runs `work` in its turn. A requested boot that waits too long is refused with CAPACITY_EXHAUSTED. */
  async run<T>(turn: BootTurn, work: (slot: BootSlot) => Promise<T>): Promise<T> {
    let give: (() => void) | null = await this.#take(turn, turn.requested ? this.#maxWaitMs : null);
    const slot: BootSlot = {
      release() {
        give?.();
        give = null;
      },
      outside: async (answer) => {
        if (give === null || (await settlesWithin(answer, ANSWER_MS))) return answer;
        slot.release();
        const value = await answer;
        // It has been claimed: there is no refusing it any more.
        give = await this.#take(turn, null);
        return value;
      },
    };
    try {
      return await work(slot);
    } finally {
      slot.release();
    }
  }

  /** Resolves in its turn, with what gives the slot back. */
  #take({ productId, requested, signal }: BootTurn, maxWaitMs: number | null): Promise<() => void> {
    const leave = new AbortController();
    const calledOff = () => leave.abort(new BootCancelled("the boot was called off"));
    if (signal?.aborted) calledOff();
    const tooLong = maxWaitMs === null ? undefined : setTimeout(() => leave.abort(hostBusy(maxWaitMs)), maxWaitMs);
    signal?.addEventListener("abort", calledOff, { once: true });
    const over = () => {
      clearTimeout(tooLong);
      signal?.removeEventListener("abort", calledOff);
    };
    return new Promise((resolve, reject) => {
      const begin = () => {
        over();
        const held = Promise.withResolvers<void>();
        resolve(held.resolve);
        return held.promise;
      };
      const place = { lane: productId, priority: requested ? 1 : 0, signal: leave.signal };
      this.#queue.add(begin, place).catch((error: unknown) => {
        over();
        reject(error);
      });
    });
  }
}

async function settlesWithin(answer: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const end = () => settled.abort();
  answer.then(end, end);
  return !(await delay(ms, settled.signal));
}

const hostBusy = (waitedMs: number): ApiError =>
  new ApiError("CAPACITY_EXHAUSTED", `the host is busy starting other engines; waited ${waitedMs / 1000} s`, {
    // Spread out, or everybody who was refused comes back at once.
    retryAfterS: 5 + Math.floor(Math.random() * 10),
  });
