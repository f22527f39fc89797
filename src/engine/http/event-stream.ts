import { once } from "node:events";
import { createEventBuffer } from "better-sse";
import type { Response } from "express";
import { sleepingComment } from "../../contract/engine/sleep.ts";
import type { EventReader } from "./event-reader.ts";
import type { Wanted } from "./wanted-events.ts";

export interface StreamLimits {
  readonly heartbeatMs: number;
  /** A reader with more than this unread for `maxQueuedMs` is disconnected; replay has what it misses. */
  readonly maxQueuedBytes: number;
  readonly maxQueuedMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  heartbeatMs: 15_000,
  maxQueuedBytes: 2 * 1024 * 1024,
  maxQueuedMs: 30_000,
};

/** An event as it is sent. Without a `seq` it has no `id:` line. */
export interface Frame {
  readonly type: string;
  readonly data: string;
  readonly seq: number | null;
}

export interface StreamOptions {
  /** Adds `id: <seq>` lines. */
  readonly withIds: boolean;
  readonly limits: StreamLimits;
  readonly wants: Wanted;
  readonly headers?: Readonly<Record<string, string>>;
  /** The `now` of a heartbeat: everything up to it has been sent to a reader that is up to date. Null: send none now. */
  cut(): string | null;
}

/** The interface's frame is `event: x`, the library writes `event:x`: its sanitizer hook adds the blank. */
const SANITIZER = (text: string): string => ` ${text}`;

/** One reader of events, in exactly the frames `event: <type>\ndata: <json>\n\n`. Writing never waits. */
export class EventStream implements EventReader {
  readonly #response: Response;
  readonly #options: StreamOptions;
  readonly #closed = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** Heartbeats promise that everything before them has been sent: only a reader that is up to date gets them. */
  upToDate = false;

  private constructor(response: Response, options: StreamOptions) {
    this.#response = response;
    this.#options = options;
    // A timer of its own: heartbeats continue while a model thinks, a tool runs or a human is asked.
    this.#heartbeat = setInterval(() => this.#beat(), options.limits.heartbeatMs).unref();
    const close = () => {
      clearInterval(this.#heartbeat);
      this.#closed.abort();
    };
    if (response.closed) close();
    else response.once("close", close);
  }

  static open(response: Response, options: StreamOptions): EventStream {
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...options.headers,
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    return new EventStream(response, options);
  }

  /** Aborted when the reader is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Whether it gets events of a type. */
  wants(type: string): boolean {
    return this.#options.wants({ type });
  }

  /** Resolves when the reader is gone, or the stream was ended. */
  async over(): Promise<void> {
    if (!this.closed.aborted) await once(this.closed, "abort");
  }

  get isBackedUp(): boolean {
    return this.#response.writableLength > this.#options.limits.maxQueuedBytes;
  }

  write(rows: readonly Frame[]): void {
    const wanted = rows.filter(this.#options.wants);
    if (wanted.length > 0) this.#send(wanted);
  }

  /** Waits until the reader has read most of what was written; disconnects it after `maxQueuedMs`. */
  async drained(): Promise<void> {
    if (!this.isBackedUp || this.closed.aborted) return;
    const signal = AbortSignal.any([this.closed, AbortSignal.timeout(this.#options.limits.maxQueuedMs)]);
    try {
      await once(this.#response, "drain", { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      // A slow reader that has read itself below the limit meanwhile is still a reader.
      if (this.isBackedUp) this.#response.destroy();
    }
  }

  /**
   * Tells the reader that the engine sleeps, by a comment line with the `seq` to read on after, and ends the stream and
   * its connection.
   */
  sleep(afterSeq: number): void {
    clearInterval(this.#heartbeat);
    this.upToDate = false;
    if (this.closed.aborted || this.#response.writableEnded) return;
    const { socket } = this.#response;
    this.#response.end(sleepingComment(afterSeq), () => socket?.destroySoon());
  }

  /** Ends the stream. A reader that reads nothing of the rest for `maxQueuedMs` is disconnected. */
  end(): void {
    clearInterval(this.#heartbeat);
    if (this.closed.aborted) return;
    this.#response.setTimeout(this.#options.limits.maxQueuedMs);
    this.#response.end();
  }

  #beat(): void {
    if (!this.upToDate) return;
    const now = this.#options.cut();
    // `cut` may have written more than the reader's limit, or ended the stream.
    if (this.upToDate && now !== null) this.#send([{ type: "heartbeat", data: JSON.stringify({ now }), seq: null }]);
  }

  #send(frames: readonly Frame[]): void {
    if (this.closed.aborted || this.#response.writableEnded) return;
    const buffer = createEventBuffer({ sanitizer: SANITIZER, serializer: String });
    for (const { type, data, seq } of frames) {
      if (this.#options.withIds && seq !== null) buffer.id(String(seq));
      buffer.event(type).data(data).dispatch();
    }
    // Not by a session of the library: it would load the whole of undici, which takes longer than the rest of a first turn.
    this.#response.write(buffer.read());
  }
}
