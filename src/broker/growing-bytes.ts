/** Bytes that arrive in chunks, in one buffer: a body in very many chunks takes no more memory than one in few. */
export class GrowingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) {
        const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
        this.#buffer.copy(grown, 0, 0, this.#length);
        this.#buffer = grown;
      }
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
