import { randomBytes } from "node:crypto";
import type { Logger } from "../logger.ts";
import { otlpSpan } from "./otlp-json.ts";
import { type Attributes, NO_SPAN, type Span, type SpanOptions, type Tracer } from "./span.ts";
import { type ExporterSettings, SpanExporter } from "./span-exporter.ts";
import { type TraceContext, formatTraceparent, parseTraceparent } from "./trace-context.ts";

/** The collector of spans, and which traces are sampled. */
export interface TracingSettings {
  /** The collector's base address: `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The sampling ratio of traces that start here, 0 to 1. For other traces the caller decides. */
  readonly sampleRatio: number;
}

export interface OpenTracer extends Tracer {
  /** Sends the queued spans until the deadline. */
  close(deadlineMs: number): Promise<void>;
}

const ID_VALUES = 2 ** 52;
const MAX_EVENTS = 32;

/** A tracer that exports its spans with OTLP over HTTP, as JSON. */
export function openTracer(
  { endpoint, headers, sampleRatio }: TracingSettings,
  {
    logger,
    onCount,
    ...exported
  }: Pick<ExporterSettings, "resource" | "scope" | "limits"> & {
    readonly logger: Logger;
    readonly onCount: (outcome: "exported" | "dropped", spans: number) => void;
  },
): OpenTracer {
  const exporter = new SpanExporter({ ...exported, url: tracesUrl(endpoint), headers }, { logger, onCount });
  return {
    start: (name, options) => new RecordedSpan(name, options, { exporter, sampleRatio }),
    remote({ traceparent, tracestate }) {
      const context = parseTraceparent(traceparent, tracestate);
      return context === null
        ? NO_SPAN
        : { ...NO_SPAN, traceparent: formatTraceparent(context), tracestate: context.state };
    },
    close: (deadlineMs) => exporter.close(deadlineMs),
  };
}

/** By OpenTelemetry's rule: the base URL with `/v1/traces` appended to its path. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

/** Milliseconds since the epoch, monotonic within a trace even when the clock is set back. */
class TraceClock {
  readonly #startedAt = Date.now() - performance.now();

  now(): number {
    return this.#startedAt + performance.now();
  }
}

class RecordedSpan implements Span {
  readonly traceparent: string;
  readonly tracestate: string | undefined;
  readonly #name: string;
  readonly #options: SpanOptions;
  readonly #exporter: SpanExporter;
  readonly #context: TraceContext;
  readonly #clock: TraceClock;
  readonly #startedAt: number;
  readonly #events: { name: string; at: number; attributes: Attributes }[] = [];
  #attributes: Attributes;
  #isOver = false;

  constructor(
    name: string,
    options: SpanOptions,
    { exporter, sampleRatio }: { readonly exporter: SpanExporter; readonly sampleRatio: number },
  ) {
    const { parent } = options;
    this.#name = name;
    this.#options = options;
    this.#exporter = exporter;
    this.#clock = parent instanceof RecordedSpan ? parent.#clock : new TraceClock();
    this.#startedAt = options.startedAt ?? this.#clock.now();
    this.#attributes = options.attributes ?? {};
    this.#context = parseTraceparent(options.continues, parent.tracestate) ?? childOf(parent, sampleRatio);
    this.traceparent = formatTraceparent(this.#context);
    this.tracestate = this.#context.state;
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  event(name: string, attributes: Attributes): void {
    if (this.#events.length < MAX_EVENTS) this.#events.push({ name, at: this.#clock.now(), attributes });
  }

  end(error: string | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#context.isSampled) return;
    const { kind, parent } = this.#options;
    const span = {
      name: this.#name,
      kind,
      context: this.#context,
      parentSpanId: parseTraceparent(parent.traceparent)?.spanId,
      startedAt: this.#startedAt,
      endedAt: this.#clock.now(),
      attributes: this.#attributes,
      events: this.#events,
      error,
    };
    this.#exporter.add(otlpSpan(span));
  }
}

function childOf(parent: Span, sampleRatio: number): TraceContext {
  const above = parseTraceparent(parent.traceparent, parent.tracestate);
  const spanId = newHex(8);
  if (above !== null) return { ...above, spanId };
  const traceId = newHex(16);
  const isSampled = Number.parseInt(traceId.slice(-13), 16) < sampleRatio * ID_VALUES;
  return { traceId, spanId, isSampled };
}

const newHex = (bytes: number): string => randomBytes(bytes).toString("hex");
