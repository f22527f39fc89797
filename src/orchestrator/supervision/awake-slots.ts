import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";
import { EXPECTED_ENGINE_MB, UNMEASURED, awakeLimit, withMeasurement } from "../rules/awake-limit.ts";

/** `ORCH_MAX_AWAKE`: a number, null for no limit, or the memory in MiB from which it is derived. */
export type AwakeSetting = number | null | { readonly memoryMb: number };

/** Limits the engines that run or are about to start, and the spares beside them (`ORCH_MAX_AWAKE`). */
export class AwakeSlots {
  readonly #setting: AwakeSetting;
  #memory = UNMEASURED;
  readonly #starting = new Set<string>();
  /** Calls acquire a slot one at a time, fairly between products. */
  readonly queue: PQueue<FairQueue, FairOptions>;

  constructor(setting: AwakeSetting) {
    this.#setting = setting;
    this.queue = new PQueue({ concurrency: 1, queueClass: FairQueue });
  }

  /** Null for no limit. */
  get limit(): number | null {
    if (this.#setting === null || typeof this.#setting === "number") return this.#setting;
    return awakeLimit(this.#setting.memoryMb, this.#memory.countedMb);
  }

  /** What an awake engine takes in MiB: measured, or expected before the first measurement. */
  get engineMb(): number {
    return this.#memory.measuredMb ?? EXPECTED_ENGINE_MB;
  }

  /** Adds what some engines take, in MiB, of `awake` ones in all. */
  measure(measurement: { readonly sizesMb: readonly number[]; readonly awake: number }): void {
    this.#memory = withMeasurement(this.#memory, measurement);
  }

  /** How many run or are about to start. `live` are the ids of the running engines. */
  used(live: ReadonlySet<string>): number {
    return new Set([...live, ...this.#starting]).size;
  }

  /** How many spares fit beside the engines. */
  room(live: ReadonlySet<string>): number {
    return this.limit === null ? Infinity : Math.max(0, this.limit - this.used(live));
  }

  /** False when no slot below `limit` is free. */
  acquire(engineId: string, live: ReadonlySet<string>, limit: number | null): boolean {
    if (limit !== null && this.used(live) >= limit) return false;
    this.#starting.add(engineId);
    return true;
  }

  /** Ends the start. A running engine keeps its slot. */
  release(engineId: string): void {
    this.#starting.delete(engineId);
  }
}
