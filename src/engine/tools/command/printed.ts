const HEAD_BYTES = 512 * 1024;
const TAIL_BYTES = 512 * 1024;

/** Keeps the first and last 512 KiB of a program's output. */
export class Printed {
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const first = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.#tail.push(rest);
    this.#tailBytes += rest.length;
    for (let oldest = this.#tail[0]; oldest !== undefined; oldest = this.#tail[0]) {
      if (this.#tailBytes - oldest.length < TAIL_BYTES) break;
      this.#tailBytes -= oldest.length;
      this.#tail.shift();
    }
  }

  text(): string {
    const left = this.bytes - this.#headBytes - this.#tailBytes;
    if (left === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString("utf8");
    const [head, tail] = [this.#head, this.#tail].map((chunks) => Buffer.concat(chunks).toString("utf8"));
    return `${head}\n… [${left} bytes omitted] …\n${tail}`;
  }
}
