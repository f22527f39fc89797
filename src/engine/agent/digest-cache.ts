import { resultDigest } from "./fact-digest.ts";

const KEPT = 5000;

/** What is left of cleared results: they are shown with each call, and to read them each time would take long. */
export class DigestCache {
  readonly #digests = new Map<string, string>();

  /** `key` names the result among all of the engine's. */
  readonly of = (output: unknown, key: string): string => {
    const known = this.#digests.get(key) ?? resultDigest(output);
    this.#digests.delete(key);
    this.#digests.set(key, known);
    const oldest = this.#digests.keys().next();
    if (this.#digests.size > KEPT && !oldest.done) this.#digests.delete(oldest.value);
    return known;
  };
}
