import type { EventEmitter } from "node:events";

/** Of one engine at the same time: far more than its turns and tools need, and far fewer than this process can have. */
const MAX_OPEN = 256;

/** Limits the calls of each engine that are open at the same time, so that one of them does not take the place of all. */
export class OpenCalls {
  readonly max: number;
  /** By engine. */
  readonly #open = new Map<string, number>();

  constructor(max: number = MAX_OPEN) {
    this.max = max;
  }

  /** A call of the engine, which lasts until the `close` of its response or connection. False when it has too many. */
  enter(engine: string, call: Pick<EventEmitter, "once">): boolean {
    const open = this.#open.get(engine) ?? 0;
    if (open >= this.max) return false;
    this.#open.set(engine, open + 1);
    call.once("close", () => {
      const left = (this.#open.get(engine) ?? 1) - 1;
      if (left === 0) this.#open.delete(engine);
      else this.#open.set(engine, left);
    });
    return true;
  }

  /** Why a call is refused, for whoever reads the answer. */
  get problem(): string {
    return `an engine may have ${this.max} open calls at the broker, and this one has them; try again when one has ended`;
  }
}
