/** The identity of a span, as W3C trace context carries it. */
export interface TraceContext {
  /** 32 hexadecimal digits, lower case. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate` as the caller sent it. */
  readonly state?: string | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;
/** The least length that the specification requires to be propagated. */
const MAX_STATE = 512;
const STATE = /^[\x20-\x7e]+$/;

/** Null for a header that is missing or invalid. A later version is read as far as version 00 goes. */
export function parseTraceparent(header: string | undefined, state?: string): TraceContext | null {
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(header?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const isState = state !== undefined && state.length <= MAX_STATE && STATE.test(state);
  return { traceId, spanId, isSampled, ...(isState && { state }) };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
