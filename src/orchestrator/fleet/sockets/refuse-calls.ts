import type { ServerResponse } from "node:http";
import { Server } from "node:net";
import type { EngineErrorBody } from "../../../contract/engine/error-body.ts";
import { ENGINE_ERRORS, type EngineErrorCode } from "../../../contract/engine/errors.ts";
import { createBoundedServer } from "../../../shared/http/http-server.ts";
import { duplicate } from "../../../sandbox/sockets.ts";

/** Limits of the refusing server. Each call is answered at once, so few are open. */
const LIMITS = {
  maxConnections: 256,
  maxUnauthenticated: 64,
  requestTimeoutMs: 10_000,
  errorBody: (message: string): EngineErrorBody => ({ error: "INVALID_REQUEST", message }),
};
/** How long connected clients may still send their request after refusing has stopped. */
const CLOSE_MS = 5000;

/** The response to calls of an engine that cannot be woken soon, or whose product is suspended. */
export interface CallAnswer {
  readonly code: Extract<EngineErrorCode, "SLEEPING_BUSY" | "POLICY_DENIED">;
  readonly message: string;
  /** Seconds, for `Retry-After`. Omitted: the call is not to be repeated. */
  readonly retryAfterS?: number;
}

/** Answers every call on a listening socket. Returns a function that stops it, so that connections wait again. */
export function refuseCalls(listener: number, answer: CallAnswer): () => void {
  const server = createBoundedServer((_request, response) => refuse(response, answer), LIMITS);
  // A failed accept, such as too many open files: the connection keeps waiting.
  server.on("error", () => undefined);
  server.listen({ fd: duplicate(listener) });
  server.unref();
  return () => {
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
    // `close` of an HTTP server would also end connections whose first request is on its way.
    Server.prototype.close.call(server, () => {
      clearTimeout(late);
      // Clears the server's timers.
      server.close();
    });
  };
}

function refuse(response: ServerResponse, { code, message, retryAfterS }: CallAnswer): void {
  const body: EngineErrorBody = { error: code, message };
  response
    .writeHead(ENGINE_ERRORS[code].status, {
      "content-type": "application/json",
      ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
      // The next call needs a new connection, which the engine may accept by then.
      connection: "close",
    })
    .end(JSON.stringify(body));
}
