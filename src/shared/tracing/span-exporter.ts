import { delay } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { type Collector, sendSpans } from "./send-spans.ts";

export interface ExporterSettings extends Collector {
  readonly limits?: ExporterLimits;
}

interface ExporterLimits {
  readonly queue: number;
  readonly batch: number;
  readonly delayMs: number;
  readonly requestMs: number;
  readonly tries: number;
  /** The first retry delay. It doubles with each retry. */
  readonly firstRetryMs: number;
}

/** The defaults of OpenTelemetry's batch processor and OTLP exporter. */
const LIMITS: ExporterLimits = {
  queue: 2048,
  batch: 512,
  delayMs: 5000,
  requestMs: 10_000,
  tries: 5,
  firstRetryMs: 1000,
};
const WARN_EVERY_MS = 60_000;

/**
 * Sends spans to an OTLP collector in batches, one request at a time. The queue is bounded: spans beyond it, and
 * batches that the collector does not take, are dropped and counted. It never throws and never delays the caller.
 */
export class SpanExporter {
  readonly #settings: ExporterSettings;
  readonly #limits: ExporterLimits;
  readonly #logger: Logger;
  readonly #onCount: (outcome: "exported" | "dropped", spans: number) => void;
  readonly #closing = new AbortController();
  /** Aborted at the deadline of `close`. */
  readonly #ended = new AbortController();
  #queue: object[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    settings: ExporterSettings,
    {
      logger,
      onCount,
    }: { readonly logger: Logger; readonly onCount: (outcome: "exported" | "dropped", spans: number) => void },
  ) {
    this.#settings = settings;
    this.#limits = settings.limits ?? LIMITS;
    this.#logger = logger;
    this.#onCount = onCount;
  }

  /** `span`: in the JSON encoding of OTLP. */
  add(span: object): void {
    if (this.#closing.signal.aborted || this.#queue.length >= this.#limits.queue) return this.#onCount("dropped", 1);
    this.#queue.push(span);
    if (this.#queue.length >= this.#limits.batch) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#limits.delayMs).unref();
  }

  /** Sends what is queued, without retries, until the deadline; drops the rest. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#ended.abort(), deadlineMs).unref();
    await this.#sending;
    while (this.#queue.length > 0 && !this.#ended.signal.aborted) await this.#deliver(this.#take());
    clearTimeout(timer);
    if (this.#queue.length > 0) this.#onCount("dropped", this.#queue.length);
    this.#queue = [];
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendQueued().finally(() => (this.#sending = undefined));
  }

  async #sendQueued(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) await this.#deliver(this.#take());
  }

  /** Sends one batch until it is accepted or the retries are used up. */
  async #deliver(spans: readonly object[]): Promise<void> {
    const { tries, firstRetryMs } = this.#limits;
    for (let tried = 1; ; tried++) {
      const sent = await sendSpans(this.#settings, spans, this.#signal());
      if (sent.kind === "accepted") return this.#settle(spans.length, sent.rejected);
      this.#warn(sent.reason);
      const isLast = tried >= tries || !sent.isRetryable || this.#closing.signal.aborted;
      if (isLast || !(await delay(firstRetryMs * 2 ** (tried - 1), this.#closing.signal)))
        return this.#settle(spans.length, spans.length);
    }
  }

  #signal(): AbortSignal {
    return AbortSignal.any([AbortSignal.timeout(this.#limits.requestMs), this.#ended.signal]);
  }

  #take(): readonly object[] {
    return this.#queue.splice(0, this.#limits.batch);
  }

  #settle(spans: number, dropped: number): void {
    if (spans > dropped) this.#onCount("exported", spans - dropped);
    if (dropped > 0) this.#onCount("dropped", dropped);
  }

  #warn(reason: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    this.#logger.warn({ collector: new URL(this.#settings.url).host, reason }, "failed to export spans");
  }
}
