import type { ClientRequest, IncomingMessage } from "node:http";

const MAX_BYTES = 256 * 1024;
/** The limit of all calls together. */
const MAX_TOTAL_BYTES = 32 * 1024 ** 2;

/** The buffered bytes of all calls. */
export class BufferedBytes {
  bytes = 0;
}

/** A request body that is buffered while it is sent, up to 256 KiB, so that it can be sent again. */
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

  /** Whether everything read so far is buffered. */
  get isRepeatable(): boolean {
    return this.#kept !== null;
  }

  /** Sends the buffered part, then streams the rest with back-pressure. */
  sendTo(upstream: ClientRequest): void {
    for (const chunk of this.#kept ?? []) upstream.write(chunk);
    if (this.#request.readableEnded) {
      upstream.end();
      return;
    }
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
