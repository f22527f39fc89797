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
  /** With the query: never decoded or normalised, so that both servers read the same. */
  readonly path: string;
  /** They replace those of the request. */
  readonly headers: OutgoingHttpHeaders;
  /** Headers of the request that are not passed on, in lower case. */
  readonly without?: readonly string[];
  readonly connectMs: number;
  /**
   * The body waits until the other server asks for it, which needs a round trip. Then a call that is lost before that
   * has not run.
   */
  readonly asksFirst?: boolean;
  /** Ends the call as a lost connection does. Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Called once connected, or once asked: until then nothing of the request is read. */
  readonly sendBody: (upstream: ClientRequest) => void;
}

type UpstreamOutcome =
  | { readonly kind: "answered"; readonly answer: IncomingMessage }
  /** The call has not run, and nothing of its body was read: it may be sent again. */
  | { readonly kind: "unreachable" }
  /** The connection was lost before an answer. The call may have run. */
  | { readonly kind: "lost" }
  /** The client went away, which ended the call. */
  | { readonly kind: "gone" };

/** Without a body, they may run twice (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Sends a request on to another server, until its answer begins. `signal` ends it. */
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
    // With `close` a server that refuses a body would reset the connection under its answer.
    headers: {
      ...Object.fromEntries(passed),
      ...call.headers,
      connection: "keep-alive",
      // Node.js frames the body of a DELETE only when told to. The server would read an unframed one as another request.
      ...(encoding !== undefined && { "transfer-encoding": "chunked" }),
      ...(asks && { expect: "100-continue" }),
    },
    // Servers close idle connections, an engine before it sleeps: a call on a kept one could be lost.
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

/**
 * Passes an answer on without buffering it. The slower side sets the pace, and each side's end ends the other.
 * `change`: makes the headers of those that the other server sent.
 */
export function relayResponse(
  answer: IncomingMessage,
  response: ServerResponse,
  change = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders => headers,
): Promise<"answered" | "cut"> {
  response.writeHead(answer.statusCode ?? 502, change(endToEndHeaders(answer.headers))).flushHeaders();
  return new Promise((resolve) => {
    pipeline(answer, response, (error) => resolve(error ? "cut" : "answered"));
  });
}
