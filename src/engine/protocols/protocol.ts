import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProtocolRouteName } from "../../contract/engine/protocol-routes.ts";
import type { EngineCalls } from "./engine-calls.ts";

export interface ProtocolRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** Several values of one name are a list. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON of a POST, undefined without a body. Bytes where the route's row says so. */
  readonly body?: unknown;
}

/** A call of a protocol's route. */
export interface ProtocolCall {
  readonly request: ProtocolRequest;
  readonly response: ServerResponse;
  readonly calls: EngineCalls;
}

/** Answers a call. What it throws before the response has begun is answered in the protocol's form. */
export type ProtocolHandler = (call: ProtocolCall) => Promise<void>;

/** What the file of a protocol exports. */
export interface ProtocolModule {
  readonly handlers: Partial<Record<ProtocolRouteName, ProtocolHandler>>;
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, body: unknown, { status = 200 } = {}): void {
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
