import PQueue from "p-queue";
import { delay } from "../../shared/clock.ts";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";
import { ApiError } from "../api-error.ts";

const MAX_WAIT_MS = 15_000;
/** How long a boot keeps its slot during a database call. A healthy database answers sooner. */
const DATABASE_WAIT_MS = 1000;

interface BootRequest {
  /** Slots are shared fairly between products. */
  readonly productId: string;
  /** Whether a client waits. Such a boot precedes restarts of its product, and is refused after a time limit. */
  readonly requested: boolean;
  /** Removes a waiting boot from the queue. A boot that has a slot is not affected. */
  readonly signal?: AbortSignal;
}

/** The boot was cancelled while it waited for a slot. */
export class BootCancelled extends Error {
  override readonly name = "BootCancelled";
}

/** One of the slots for concurrent boots. It covers the start of the process, not long waits for the database. */
export interface BootSlot {
  /** Releases the slot for good: the process runs. */
  release(): void;
  /** Awaits a database call. If it takes long, the slot is released meanwhile and acquired again afterwards. */
  awaitDatabase<T>(call: Promise<T>): Promise<T>;
}

/** Limits concurrent boots on this host and orders the waiting ones. */
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

  /** Slots that no boot has and none waits for. */
  get free(): number {
    return this.#queue.size > 0 ? 0 : this.#queue.concurrency - this.#queue.pending;
  }

  /** Runs `work` with a slot. A requested boot that waits too long is refused with CAPACITY_EXHAUSTED. */
  async run<T>(request: BootRequest, work: (slot: BootSlot) => Promise<T>): Promise<T> {
    let release: (() => void) | null = await this.#acquire(request, request.requested ? this.#maxWaitMs : null);
    const slot: BootSlot = {
      release() {
        release?.();
        release = null;
      },
      awaitDatabase: async (call) => {
        if (release === null || (await settlesWithin(call, DATABASE_WAIT_MS))) return call;
        slot.release();
        const value = await call;
        // The row has been claimed, so this boot can no longer be refused.
        release = await this.#acquire(request, null);
        return value;
      },
    };
    try {
      return await work(slot);
    } finally {
      slot.release();
    }
  }

  /** Resolves with the function that releases the slot. */
  #acquire({ productId, requested, signal }: BootRequest, maxWaitMs: number | null): Promise<() => void> {
    const dequeue = new AbortController();
    const cancel = () => dequeue.abort(new BootCancelled("the boot was cancelled"));
    if (signal?.aborted) cancel();
    const timeout = maxWaitMs === null ? undefined : setTimeout(() => dequeue.abort(hostBusy(maxWaitMs)), maxWaitMs);
    signal?.addEventListener("abort", cancel, { once: true });
    const cleanUp = () => {
      clearTimeout(timeout);
      signal?.removeEventListener("abort", cancel);
    };
    return new Promise((resolve, reject) => {
      const start = () => {
        cleanUp();
        const slot = Promise.withResolvers<void>();
        resolve(slot.resolve);
        return slot.promise;
      };
      const place = { lane: productId, priority: requested ? 1 : 0, signal: dequeue.signal };
      this.#queue.add(start, place).catch((error: unknown) => {
        cleanUp();
        reject(error);
      });
    });
  }
}

async function settlesWithin(call: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const end = () => settled.abort();
  call.then(end, end);
  return !(await delay(ms, settled.signal));
}

const hostBusy = (waitedMs: number): ApiError =>
  new ApiError("CAPACITY_EXHAUSTED", `the host is busy starting other engines; waited ${waitedMs / 1000} s`, {
    // Jitter, so that refused callers do not all retry at once.
    retryAfterS: 5 + Math.floor(Math.random() * 10),
  });
