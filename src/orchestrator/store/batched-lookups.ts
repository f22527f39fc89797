import { inBackground } from "../../shared/background.ts";

type Waiting<T> = Map<string, PromiseWithResolvers<T | null>>;

/** Looks up keys with one statement at a time. Keys that are requested while it runs share the next statement. */
export class BatchedLookups<T> {
  readonly #read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>;
  #waiting: Waiting<T> = new Map();
  #isReading = false;

  constructor(read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>) {
    this.#read = read;
  }

  find(key: string): Promise<T | null> {
    const asked = this.#waiting.get(key) ?? Promise.withResolvers<T | null>();
    this.#waiting.set(key, asked);
    if (!this.#isReading) inBackground("look-up of keys", this.#readAll());
    return asked.promise;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      const batch = this.#waiting;
      this.#waiting = new Map();
      try {
        const found = await this.#read([...batch.keys()]);
        for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null);
      } catch (error) {
        for (const { reject } of batch.values()) reject(error);
      }
    }
    this.#isReading = false;
  }
}
