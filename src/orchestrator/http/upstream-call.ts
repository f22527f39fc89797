import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as httpRequest,
} from "node:http";
import { pipeline } from "node:stream";
import { endToEndHeaders } from "./forwarded-headers.ts";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface UpstreamCall {
  /** The base URL of the other server. */
  readonly url: string;
  /** The path with its query. Never decoded or normalised, so that both servers agree on it. */
  readonly path: string;
  /** Added to the headers of the request, or replacing them. */
  readonly headers: OutgoingHttpHeaders;
  /** Headers of the request that are not forwarded, in lower case. */
  readonly without?: readonly string[];
  readonly connectMs: number;
  /**
   * Sends `Expect: 100-continue` and the body only after `100 Continue`, which takes a round trip. A call that is lost
   * before was not executed.
   */
  readonly asksFirst?: boolean;
  /** Ends the call like a lost connection. Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Called after the connection, or after `100 Continue`. Until then nothing of the body is read. */
  readonly sendBody: (upstream: ClientRequest) => void;
}

type UpstreamOutcome =
  | { readonly kind: "answered"; readonly answer: IncomingMessage }
  /** The call was not executed, and nothing of its body was read. It may be sent again. */
  | { readonly kind: "unreachable" }
  /** The connection was lost before a response. The call may have been executed. */
  | { readonly kind: "lost" }
  /** The client disconnected, which ended the call. */
  | { readonly kind: "gone" };

/** Idempotent methods without a body (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Forwards a request to another server. Resolves with the head of the response. */
export function callUpstream({ request, response }: Exchange, call: UpstreamCall): Promise<UpstreamOutcome> {
  const { promise, resolve } = Promise.withResolvers<UpstreamOutcome>();
  const { hostname, port } = new URL(call.url);
  const passed = Object.entries(endToEndHeaders(request.headers)).filter(([name]) => !call.without?.includes(name));
  const { "transfer-encoding": encoding, "content-length": length } = request.headers;
  const hasBody = encoding !== undefined || Number(length) > 0;
  const asks = call.asksFirst === true && hasBody;
  const upstream = httpRequest({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    path: call.path,
    method: request.method,
    // With `Connection: close`, a server that refuses the body could reset the connection before its response is read.
    headers: {
      ...Object.fromEntries(passed),
      ...call.headers,
      connection: "keep-alive",
      // Node.js frames the body of a DELETE only when told to. The server would read an unframed one as another request.
      ...(encoding !== undefined && { "transfer-encoding": "chunked" }),
      ...(asks && { expect: "100-continue" }),
    },
    // No keep-alive pool: the server may close an idle connection while it is being reused.
    agent: false,
    signal: call.signal,
  });
  let mayHaveRun = false;
  const late = setTimeout(() => upstream.destroy(new Error("no connection")), call.connectMs);
  const failed = () => resolve({ kind: response.closed ? "gone" : mayHaveRun ? "lost" : "unreachable" });
  const send = () => {
    mayHaveRun = hasBody || call.asksFirst !== true || !REPEATABLE.has(request.method ?? "");
    call.sendBody(upstream);
  };
  upstream.setNoDelay(true);
  upstream.once("socket", (socket) => {
    socket.once("connect", () => {
      clearTimeout(late);
      if (!asks) send();
    });
  });
  if (asks) upstream.once("continue", send);
  upstream.once("response", (answer) => resolve({ kind: "answered", answer }));
  upstream.on("error", failed);
  upstream.once("close", () => {
    clearTimeout(late);
    failed();
  });
  if (response.closed) upstream.destroy();
  return promise;
}

/** Sends the status and the headers of a response to the client. */
export function relayHead(
  answer: IncomingMessage,
  response: ServerResponse,
  change: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders,
): void {
  response.writeHead(answer.statusCode ?? 502, change(endToEndHeaders(answer.headers))).flushHeaders();
}

/**
 * Streams a response to the client with back-pressure. Either side's end closes the other. `change` maps the headers of the
 * other server.
 */
export function relayResponse(
  answer: IncomingMessage,
  response: ServerResponse,
  change = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders => headers,
): Promise<"answered" | "cut"> {
  relayHead(answer, response, change);
  return new Promise((resolve) => {
    pipeline(answer, response, (error) => resolve(error ? "cut" : "answered"));
  });
}
