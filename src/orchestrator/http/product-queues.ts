import { setImmediate as nextLoop } from "node:timers/promises";
import PQueue from "p-queue";
import { keepRequest } from "../../shared/request-context.ts";

/**
 * Work that keeps this process busy, so many at once of each product. Between two of them the event loop runs, so
 * that a product which sends its whole minute at one moment makes itself wait, and not the others.
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
