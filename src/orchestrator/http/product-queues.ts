import { setImmediate as nextLoop } from "node:timers/promises";
import PQueue from "p-queue";
import { keepRequest } from "../../shared/request-context.ts";

/**
 * Limits CPU-bound work per product. The event loop runs between two pieces of work, so a burst of one product delays its
 * own calls and not those of other products.
 */
export class ProductQueues {
  readonly #concurrency: number;
  readonly #queues = new Map<string, PQueue>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  async run<T>(product: string, work: () => T | Promise<T>): Promise<T> {
    const queue = this.#queues.get(product) ?? new PQueue({ concurrency: this.#concurrency });
    this.#queues.set(product, queue);
    const bound = keepRequest(work);
    try {
      return await queue.add(async () => {
        await nextLoop();
        return bound();
      });
    } finally {
      if (queue.size + queue.pending === 0) this.#queues.delete(product);
    }
  }
}
