import { once } from "node:events";
import { Connection, Session, createEventBuffer } from "better-sse";
import type { Response } from "express";
import type { EventRow } from "../turns/event-journal.ts";

export interface StreamLimits {
  readonly heartbeatMs: number;
  /** A reader that leaves more than this unread for `maxQueuedMs` is cut off; replay has what it misses. */
  readonly maxQueuedBytes: number;
  readonly maxQueuedMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  heartbeatMs: 15_000,
  maxQueuedBytes: 2 * 1024 * 1024,
  maxQueuedMs: 30_000,
};

export interface StreamOptions {
  /** Adds `id: <seq>` lines. */
  readonly withIds: boolean;
  readonly limits: StreamLimits;
  readonly headers?: Readonly<Record<string, string>>;
  /** The time for a heartbeat: an exact cut behind everything a reader that is up to date has been given. Null: not now. */
  cut(): string | null;
}

/** The interface's frame is `event: x`, the library's `event:x`: its hook for cleaning values puts the blank in. */
const SANITIZER = (text: string): string => ` ${text}`;

/**
 * What the library knows of a call: where to write, and nothing of what the client sent. It would take frames that the
 * interface does not have from the query, and trip over a strange `Host`.
 */
class ResponseConnection extends Connection {
  readonly url = new URL("http://engine.local/");
  readonly request = new globalThis.Request(this.url);
  readonly response = new globalThis.Response(null);
  readonly #out: Response;

  constructor(out: Response) {
    super();
    this.#out = out;
  }

  sendHead = (): void => undefined;
  sendChunk = (chunk: string): void => void this.#out.write(chunk);
  cleanup = (): void => undefined;
}

/** One reader of events, in exactly the frames `event: <type>\ndata: <json>\n\n`. Writing never waits. */
export class EventStream {
  readonly #session: Session;
  readonly #response: Response;
  readonly #wish: StreamOptions;
  readonly #closed = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** Heartbeats promise that everything before them has been sent: only a reader that is up to date gets them. */
  upToDate = false;

  private constructor(session: Session, response: Response, wish: StreamOptions) {
    this.#session = session;
    this.#response = response;
    this.#wish = wish;
    // A timer of its own: it beats while a model thinks, a tool runs or a human is asked.
    this.#heartbeat = setInterval(() => this.#beat(), wish.limits.heartbeatMs).unref();
    const close = () => {
      clearInterval(this.#heartbeat);
      this.#closed.abort();
    };
    if (response.closed) close();
    else response.once("close", close);
  }

  static async open(response: Response, wish: StreamOptions): Promise<EventStream> {
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...wish.headers,
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    const options = { retry: null, keepAlive: null, sanitizer: SANITIZER };
    const session = new Session(new ResponseConnection(response), options);
    await once(session, "connected");
    return new EventStream(session, response, wish);
  }

  /** Aborted when the reader is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get isBackedUp(): boolean {
    return this.#response.writableLength > this.#wish.limits.maxQueuedBytes;
  }

  write(rows: readonly EventRow[]): void {
    this.#send(rows);
  }

  /** Waits until the reader has read most of what was written; one that does not in time is cut off. */
  async drained(): Promise<void> {
    if (!this.isBackedUp || this.closed.aborted) return;
    const signal = AbortSignal.any([this.closed, AbortSignal.timeout(this.#wish.limits.maxQueuedMs)]);
    try {
      await once(this.#response, "drain", { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      // A slow reader that has read itself below the limit meanwhile is still a reader.
      if (this.isBackedUp) this.#response.destroy();
    }
  }

  /** What is left is read, however slowly; a reader that reads none of it for too long is cut off. */
  end(): void {
    clearInterval(this.#heartbeat);
    if (this.closed.aborted) return;
    this.#response.setTimeout(this.#wish.limits.maxQueuedMs);
    this.#response.end();
  }

  #beat(): void {
    if (!this.upToDate) return;
    const now = this.#wish.cut();
    // Taking the cut may have written more than the reader bears, or ended the stream.
    if (this.upToDate && now !== null) this.#send([{ type: "heartbeat", data: JSON.stringify({ now }), seq: null }]);
  }

  #send(frames: readonly { readonly type: string; readonly data: string; readonly seq: number | null }[]): void {
    if (this.closed.aborted || this.#response.writableEnded) return;
    const buffer = createEventBuffer({ sanitizer: SANITIZER, serializer: String });
    for (const { type, data, seq } of frames) {
      if (this.#wish.withIds && seq !== null) buffer.id(String(seq));
      buffer.event(type).data(data).dispatch();
    }
    void this.#session.batch(buffer);
  }
}
