/** Limits the bytes of buffered request bodies, in total and per owner. */
export class BodyBufferLimit {
  readonly #total: number;
  readonly #each: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor({ total, each }: { readonly total: number; readonly each: number }) {
    this.#total = total;
    this.#each = each;
  }

  /** False when a limit would be exceeded. Then nothing is taken. */
  take(owner: string, bytes: number): boolean {
    const held = this.#held.get(owner) ?? 0;
    if (held + bytes > this.#each || this.#all + bytes > this.#total) return false;
    this.#held.set(owner, held + bytes);
    this.#all += bytes;
    return true;
  }

  give(owner: string, bytes: number): void {
    const left = (this.#held.get(owner) ?? 0) - bytes;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
    this.#all -= bytes;
  }
}
