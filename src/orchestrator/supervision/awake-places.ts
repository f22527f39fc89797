import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";

/** The places for engines that are awake: those that run, and those that are about to start. */
export class AwakePlaces {
  /** Null for no limit. */
  readonly limit: number | null;
  readonly #starting = new Set<string>();
  /** One call at a time looks for a place, in the order of their turns. */
  readonly queue: PQueue<FairQueue, FairOptions>;

  constructor(limit: number | null) {
    this.limit = limit;
    this.queue = new PQueue({ concurrency: 1, queueClass: FairQueue });
  }

  /** False when every place is taken. `live` are the engines that run. */
  take(engineId: string, live: ReadonlySet<string>): boolean {
    if (this.limit !== null && new Set([...live, ...this.#starting]).size >= this.limit) return false;
    this.#starting.add(engineId);
    return true;
  }

  /** An engine that has come up keeps its place while it runs. */
  release(engineId: string): void {
    this.#starting.delete(engineId);
  }
}
