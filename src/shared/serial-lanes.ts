import { inBackground } from "./background.ts";

/** Runs the work of one key in order, one at a time. Different keys run concurrently. */
export class SerialLanes {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    const tail = done.catch(() => undefined);
    this.#tails.set(key, tail);
    inBackground(
      "end of a lane",
      tail.then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      }),
    );
    return done;
  }
}
