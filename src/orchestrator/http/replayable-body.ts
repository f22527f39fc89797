import type { ClientRequest, IncomingMessage } from "node:http";

const MAX_BYTES = 256 * 1024;
/** Of all calls. */
const MAX_TOTAL_BYTES = 32 * 1024 ** 2;

/** Counts what the bodies of all calls hold. */
export class BufferedBytes {
  bytes = 0;
}

/** The body of a request, of which so much is kept that it can be sent again. */
export class ReplayableBody {
  readonly #request: IncomingMessage;
  readonly #total: BufferedBytes;
  #kept: Buffer[] | null = [];
  #bytes = 0;
  #begun = false;

  constructor(request: IncomingMessage, total: BufferedBytes) {
    this.#request = request;
    this.#total = total;
  }

  /** Whether everything that was read of it is kept. */
  get isRepeatable(): boolean {
    return this.#kept !== null;
  }

  /** Sends what was read before, then the rest as it comes; the slower side sets the pace. */
  sendTo(upstream: ClientRequest): void {
    for (const chunk of this.#kept ?? []) upstream.write(chunk);
    if (this.#request.readableEnded) return void upstream.end();
    if (!this.#begun) this.#request.on("data", (chunk: Buffer) => this.#keep(chunk));
    this.#begun = true;
    this.#request.pipe(upstream);
  }

  release(): void {
    this.#total.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#kept = null;
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === null) return;
    this.#bytes += chunk.length;
    this.#total.bytes += chunk.length;
    if (this.#bytes > MAX_BYTES || this.#total.bytes > MAX_TOTAL_BYTES) this.release();
    else this.#kept.push(chunk);
  }
}
