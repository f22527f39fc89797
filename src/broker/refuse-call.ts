import type { IncomingMessage, ServerResponse } from "node:http";
import { SECRET_REFUSED_HEADER } from "../contract/broker/secret-calls.ts";
import type { Refusal } from "./outgoing.ts";

/** The rest of a refused request is read for this time. */
const MAX_UNREAD_MS = 1000;

const TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 503: "overloaded_error" };

interface RefusedCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers a model call with an error of the broker's own. */
export function refuseCall(call: RefusedCall, status: number, message: string): void {
  const type = TYPES[status] ?? "invalid_request_error";
  const body = JSON.stringify({ error: { type, message } });
  endUnread(call, { status, headers: { "content-type": "application/json" }, body });
}

/** Answers a call of a tool with an error of the broker's own. */
export function refuseToolCall(
  call: RefusedCall,
  { status, message, headers: own }: Pick<Refusal, "status" | "message" | "headers">,
): void {
  const headers = { "content-type": "text/plain; charset=utf-8", [SECRET_REFUSED_HEADER]: "1", ...own };
  endUnread(call, { status, headers, body: `orchd: ${message}\n` });
}

/** The rest of the body is read and dropped for a while, because a closed connection could lose the answer. */
export function endUnread(
  { request, response }: RefusedCall,
  {
    status,
    headers,
    body,
  }: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string },
): void {
  response.writeHead(status, { ...headers, connection: "close" }).end(body);
  request.unpipe();
  request.resume();
  setTimeout(() => request.destroy(), MAX_UNREAD_MS).unref();
}
