import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { EngineCalls } from "./engine-calls.ts";

/** Writes server-sent events of a protocol to one reader, as slowly as it reads. */
export class SseWriter {
  readonly #response: ServerResponse;
  readonly #limits: EngineCalls["limits"];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closed = new AbortController();

  private constructor(response: ServerResponse, limits: EngineCalls["limits"]) {
    this.#response = response;
    this.#limits = limits;
    // A comment, which every reader ignores, keeps the connection open while a model thinks or a tool runs.
    this.#heartbeat = setInterval(() => this.#send(": keep-alive\n\n"), limits.heartbeatMs).unref();
    const close = () => {
      clearInterval(this.#heartbeat);
      this.#closed.abort();
    };
    if (response.closed) close();
    else response.once("close", close);
  }

  static open(
    response: ServerResponse,
    limits: EngineCalls["limits"],
    headers: Readonly<Record<string, string>> = {},
  ): SseWriter {
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    return new SseWriter(response, limits);
  }

  /** Writes whole frames. Waits while the reader has too much unread, and disconnects one that reads nothing. */
  async write(frames: string): Promise<void> {
    this.#send(frames);
    if (this.#response.writableLength <= this.#limits.maxQueuedBytes || this.#response.closed) return;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(this.#limits.maxQueuedMs)]);
    try {
      await once(this.#response, "drain", { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      if (this.#response.writableLength > this.#limits.maxQueuedBytes) this.#response.destroy();
    }
  }

  /** Ends the stream. A reader that reads nothing of the rest is disconnected. */
  end(): void {
    clearInterval(this.#heartbeat);
    if (this.#response.closed) return;
    this.#response.setTimeout(this.#limits.maxQueuedMs);
    this.#response.end();
  }

  #send(text: string): void {
    if (text !== "" && !this.#response.closed && !this.#response.writableEnded) this.#response.write(text);
  }
}

/** A frame without an `event:` line, whose data is JSON. */
export const dataFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** A frame with an `event:` line, whose data is JSON. */
export const eventFrame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
