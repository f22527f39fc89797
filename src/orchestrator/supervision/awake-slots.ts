import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";

/** Limits the engines that run or are about to start (`ORCH_MAX_AWAKE`). */
export class AwakeSlots {
  /** Null for no limit. */
  readonly limit: number | null;
  readonly #starting = new Set<string>();
  /** Calls acquire a slot one at a time, fairly between products. */
  readonly queue: PQueue<FairQueue, FairOptions>;

  constructor(limit: number | null) {
    this.limit = limit;
    this.queue = new PQueue({ concurrency: 1, queueClass: FairQueue });
  }

  /** False when no slot is free. `live` are the ids of the running engines. */
  acquire(engineId: string, live: ReadonlySet<string>): boolean {
    if (this.limit !== null && new Set([...live, ...this.#starting]).size >= this.limit) return false;
    this.#starting.add(engineId);
    return true;
  }

  /** Ends the start. A running engine keeps its slot. */
  release(engineId: string): void {
    this.#starting.delete(engineId);
  }
}
