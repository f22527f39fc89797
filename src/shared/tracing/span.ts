/** Attributes of a span; undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One operation of a trace. It is recorded when it ends; an operation that never ends leaves nothing. */
export interface Span {
  /** W3C trace context for calls to others. Undefined without tracing. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** Takes effect once. `error`: the class of an error (`error.type`), one of few. */
  end(error?: string | null): void;
}

export interface SpanOptions {
  readonly kind: "internal" | "server" | "client";
  /** {@link NO_SPAN} starts a trace. */
  readonly parent: Span;
  readonly attributes?: Attributes;
  /** Milliseconds since the epoch. Default: now. */
  readonly startedAt?: number;
  /** The `traceparent` of a span that an earlier process started and did not end: this one ends it. */
  readonly continues?: string | undefined;
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** A caller's span, from its headers. Invalid ones count as none. */
  remote(headers: { readonly traceparent?: string | undefined; readonly tracestate?: string | undefined }): Span;
}

const nothing = (): void => undefined;

/** The span when tracing is off, and the parent of a trace's first span. */
export const NO_SPAN: Span = {
  traceparent: undefined,
  tracestate: undefined,
  set: nothing,
  event: nothing,
  end: nothing,
};
export const NO_TRACER: Tracer = { start: () => NO_SPAN, remote: () => NO_SPAN };
