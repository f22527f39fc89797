import type { Attributes, SpanOptions } from "./span.ts";
import type { TraceContext } from "./trace-context.ts";

/** A span that has ended. Times are milliseconds since the epoch. */
interface EndedSpan {
  readonly name: string;
  readonly kind: SpanOptions["kind"];
  readonly context: TraceContext;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly at: number; readonly attributes: Attributes }[];
  readonly error: string | null;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const FLAG_SAMPLED = 1;

/** A span in the JSON encoding of OTLP. */
export const otlpSpan = ({ name, kind, context, parentSpanId, ...span }: EndedSpan): object => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  ...(context.state !== undefined && { traceState: context.state }),
  flags: FLAG_SAMPLED,
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: keyValues({ ...span.attributes, ...(span.error !== null && { "error.type": span.error }) }),
  ...(span.events.length > 0 && {
    events: span.events.map((event) => ({
      timeUnixNano: nanoseconds(event.at),
      name: event.name,
      attributes: keyValues(event.attributes),
    })),
  }),
  ...(span.error !== null && { status: { code: STATUS_ERROR } }),
});

/** The body of one `POST /v1/traces`. */
export const otlpRequest = (resource: Attributes, scope: { name: string; version: string }, spans: readonly object[]) =>
  JSON.stringify({
    resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope, spans }] }],
  });

/** A number of this size in nanoseconds is beyond what a double holds exactly. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`;

const keyValues = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]));

function anyValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}
