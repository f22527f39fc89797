import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { ConnectFailed, openConnection } from "./client-connection.ts";
import type { ConnectParams, McpServerConnection } from "./connection.ts";
import { secretsIn } from "../secrets/secret-references.ts";
import { LOGIN_NEEDED_HEADER, TOOL_CALL_PATH } from "../../contract/broker/tool-calls.ts";
import type { HttpServerConfig } from "./server-config.ts";
import { NO_BROKER, brokerHeaders } from "./server-login.ts";
import type { OutsideRoute } from "../tools/web/guarded-request.ts";
import { calledFetch, identifiedFetch } from "./identified-fetch.ts";
import { StdioTransport } from "./stdio-transport.ts";

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const BLANK_LINE = /\n\n|\r\n\r\n|\r\r/g;
/** Bytes of the previous chunk in which a blank line may begin. */
const OVERLAP = 3;

/** The loader compares it with its own: an upgrade may have replaced this bundle. */
export { VERSION } from "../../shared/version.ts";

/** Connects once, falling back to the older protocol version or transport where the server requires it. */
export async function connectServer(params: ConnectParams): Promise<McpServerConnection> {
  const { server, signal, log } = params;
  if (server.transport === "stdio") {
    try {
      return await openConnection(params, new StdioTransport(server, params), "auto");
    } catch (error) {
      // Some old servers exit at a request they do not know.
      if (signal.aborted || !(error instanceof ConnectFailed && error.exited)) throw error;
      return openConnection(params, new StdioTransport(server, params), "legacy");
    }
  }
  if (server.transport === "sse") return openConnection(params, sse(server, params), "legacy");
  try {
    return await openConnection(params, streamableHttp(server, params), "auto");
  } catch (error) {
    if (signal.aborted || server.login !== null || !(error instanceof ConnectFailed && error.refused)) throw error;
    log.debug(`streamable HTTP failed (${error.message}); trying HTTP with SSE`);
    return openConnection(params, sse(server, params), "legacy").catch(() => {
      throw error;
    });
  }
}

const streamableHttp = (server: HttpServerConfig, params: ConnectParams): Transport =>
  new StreamableHTTPClientTransport(new URL(server.url), requestOptions(server, params));

/** `fetch` through the broker, which adds the user's token. */
function brokeredFetch(server: HttpServerConfig, { broker, onLoginNeeded }: ConnectParams): typeof boundedFetch {
  if (broker === null) throw new Error(NO_BROKER);
  return async (_, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(brokerHeaders(server, broker))) headers.set(name, value);
    const response = await boundedFetch(broker.url + TOOL_CALL_PATH, { ...init, headers, redirect: "manual" });
    if (!response.headers.has(LOGIN_NEEDED_HEADER)) return response;
    await response.body?.cancel();
    onLoginNeeded();
    throw new Error(LOGIN_NEEDED);
  };
}

const LOGIN_NEEDED = "the user has to sign in; call the tool again, and the user is asked to";
const sse = (server: HttpServerConfig, params: ConnectParams): Transport =>
  new SSEClientTransport(new URL(server.url), requestOptions(server, params));

const requestOptions = (server: HttpServerConfig, params: ConnectParams) => ({
  requestInit: { headers: params.secrets.fill(server.headers) },
  fetch: fetchOf(server, params),
});

function fetchOf(server: HttpServerConfig, params: ConnectParams): typeof boundedFetch {
  const send = sameFetchOf(server, params);
  return Object.keys(server.callHeaders).length === 0 ? send : calledFetch(send);
}

/** The same for all calls. */
function sameFetchOf(server: HttpServerConfig, params: ConnectParams): typeof boundedFetch {
  const { identity, login } = server;
  if (login !== null) return brokeredFetch(server, params);
  const { identity: source, secrets, outside, signal } = params;
  const hasSecrets = secretsIn(Object.values(server.headers)).length > 0;
  const send = routedFetch((target) => (hasSecrets ? secrets.route(target) : (outside.route?.(target) ?? null)));
  return identity === undefined ? send : identifiedFetch(send, { ...identity, source, signal });
}

/** `fetch` through the broker, which puts in values of secrets, or is the only way out. */
const routedFetch =
  (routeOf: (target: URL) => OutsideRoute | null): typeof boundedFetch =>
  (input, init) => {
    const route = routeOf(new URL(input));
    if (route === null) return boundedFetch(input, init);
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(route.headers)) sent.set(name, value);
    return boundedFetch(route.url, { ...init, headers: sent, redirect: "manual" });
  };

/** `fetch` with a limit of 10 MiB on a response body, or on each event of an SSE stream. */
async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const isEventStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const { status, statusText, headers, url } = response;
  const body = response.body.pipeThrough(new TransformStream(byteLimit(isEventStream)));
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, "url", { value: url });
  return bounded;
}

function byteLimit(isEventStream: boolean) {
  let bytes = 0;
  let overlap = "";
  return {
    transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
      bytes += chunk.length;
      if (isEventStream) {
        const text = overlap + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
        const end = [...text.matchAll(BLANK_LINE)].at(-1);
        if (end !== undefined) bytes = text.length - end.index;
        overlap = text.slice(-OVERLAP);
      }
      if (bytes > MAX_MESSAGE_BYTES)
        controller.error(new Error(`the response is longer than ${MAX_MESSAGE_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  };
}
