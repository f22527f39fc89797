import type { IncomingMessage } from "node:http";
import { BUDGETED_HEADER } from "../contract/broker/problem.ts";
import { KEY_HEADERS } from "./provider-rules.ts";

/** Of one connection, and none of the next. */
export const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** Only for a model server of the operator, which may join the trace. */
const TRACE = ["traceparent", "tracestate"];
const NOT_SENT = new Set([...HOP_BY_HOP, ...KEY_HEADERS, BUDGETED_HEADER, "host", "expect", "content-length"]);

/** The key that an engine presents, in the header that its provider's package uses. */
export function presentedKey({ headers }: IncomingMessage): string | null {
  for (const name of KEY_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") return value.replace(/^Bearer /i, "");
  }
  return null;
}

/** The headers of a call for its provider, without the engine's key. AWS signs its own `x-amz-…` headers. */
export function headersToSend(
  { rawHeaders, headers }: IncomingMessage,
  {
    isOwnServer,
    isSigned,
    isRead,
  }: {
    readonly isOwnServer: boolean;
    readonly isSigned: boolean;
    /** Whether the answer is read. It is then to be plain. */
    readonly isRead: boolean;
  },
): string[] {
  const sent: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    if (NOT_SENT.has(key) || (!isOwnServer && TRACE.includes(key)) || (isSigned && key.startsWith("x-amz-"))) continue;
    if (isRead && key === "accept-encoding") continue;
    sent.push(name, value);
  }
  if (isRead) sent.push("accept-encoding", "identity");
  const length = headers["content-length"];
  if (!isSigned && length !== undefined) sent.push("content-length", length);
  else if (!isSigned) sent.push("transfer-encoding", "chunked");
  return sent;
}

/** The headers of a provider's answer for the engine, without one that echoes the key. */
export function headersToPassOn(rawHeaders: readonly string[], apiKey: string | null): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (HOP_BY_HOP.includes(name.toLowerCase()) || (apiKey !== null && value.includes(apiKey))) continue;
    passed.push(name, value);
  }
  return passed;
}

/** For a body that is read and decoded. */
export function withoutLength(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    if (!["content-length", "content-encoding"].includes(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
