import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../kit/fair-queue.ts";
import { keepRequest } from "../../kit/request-context.ts";
import { ApiError } from "../api-error.ts";

const MAX_WAIT_MS = 15_000;

export interface BootTurn {
  /** Products take turns. */
  readonly productId: string;
  /** A client waits: goes before the restarts of its product, but not for long. */
  readonly requested: boolean;
  /** Leaves the queue; what has begun is not ended by it. */
  readonly signal?: AbortSignal;
}

/** The boot was called off while it waited for its turn. */
export class LeftQueue extends Error {
  override readonly name = "LeftQueue";
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
  async run<T>({ productId, requested, signal }: BootTurn, work: () => Promise<T>): Promise<T> {
    const leave = new AbortController();
    const calledOff = () => leave.abort(new LeftQueue("the boot was called off"));
    const tooLong = requested ? setTimeout(() => leave.abort(hostBusy(this.#maxWaitMs)), this.#maxWaitMs) : undefined;
    signal?.addEventListener("abort", calledOff, { once: true });
    const began = () => {
      clearTimeout(tooLong);
      signal?.removeEventListener("abort", calledOff);
    };
    try {
      const bound = keepRequest(work);
      const turn = { lane: productId, priority: requested ? 1 : 0, signal: leave.signal };
      return await this.#queue.add(() => {
        began();
        return bound();
      }, turn);
    } finally {
      began();
    }
  }
}

const hostBusy = (waitedMs: number): ApiError =>
  new ApiError("CAPACITY_EXHAUSTED", `the host is busy starting other engines; waited ${waitedMs / 1000} s`, {
    // Spread out, or everybody who was refused comes back at once.
    retryAfterS: 5 + Math.floor(Math.random() * 10),
  });
