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
  readonly connectMs: number;
  /** Called once connected: until then nothing of the request is read. */
  readonly sendBody: (upstream: ClientRequest) => void;
}

type UpstreamOutcome =
  | { readonly kind: "answered"; readonly answer: IncomingMessage }
  /** There was no connection, so the call was not sent. */
  | { readonly kind: "unreachable" }
  /** The connection was lost before an answer. The call may have run. */
  | { readonly kind: "lost" }
  /** The client went away, which ended the call. */
  | { readonly kind: "gone" };

/** Sends a request on to another server, until its answer begins. The end of the client's connection ends it. */
export function callUpstream({ request, response }: Exchange, call: UpstreamCall): Promise<UpstreamOutcome> {
  const { promise, resolve } = Promise.withResolvers<UpstreamOutcome>();
  const { hostname, port } = new URL(call.url);
  const upstream = httpRequest({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    path: call.path,
    method: request.method,
    // With `close` a server that refuses a body would reset the connection under its answer.
    headers: { ...endToEndHeaders(request.headers), ...call.headers, connection: "keep-alive" },
    // Servers close idle connections, an engine before it sleeps: a call on a kept one could be lost.
    agent: false,
  });
  let connected = false;
  const late = setTimeout(() => upstream.destroy(new Error("no connection")), call.connectMs);
  const abandon = () => upstream.destroy();
  const failed = () => resolve({ kind: response.closed ? "gone" : connected ? "lost" : "unreachable" });
  upstream.setNoDelay(true);
  upstream.once("socket", (socket) => {
    socket.once("connect", () => {
      connected = true;
      clearTimeout(late);
      call.sendBody(upstream);
    });
  });
  upstream.once("response", (answer) => resolve({ kind: "answered", answer }));
  upstream.on("error", failed);
  upstream.once("close", () => {
    clearTimeout(late);
    response.off("close", abandon);
    failed();
  });
  response.once("close", abandon);
  if (response.closed) abandon();
  return promise;
}

/** Passes an answer on without buffering it. The slower side sets the pace, and each side's end ends the other. */
export function relayAnswer(answer: IncomingMessage, response: ServerResponse): Promise<"answered" | "cut"> {
  response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers)).flushHeaders();
  return new Promise((resolve) => {
    pipeline(answer, response, (error) => resolve(error ? "cut" : "answered"));
  });
}
