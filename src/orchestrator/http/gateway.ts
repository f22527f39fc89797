import { type IncomingMessage, type RequestListener, type ServerResponse, request as httpRequest } from "node:http";
import { pipeline } from "node:stream";
import type { EngineErrorBody } from "../../contract/engine-api.ts";
import { ENGINE_ERRORS, type EngineErrorCode } from "../../contract/engine-errors.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import type { HostContext } from "../host-context.ts";
import { EngineAddresses } from "../status/engine-addresses.ts";
import type { SessionParts } from "./admit-session.ts";
import { answerHeaders, endToEndHeaders } from "./forwarded-headers.ts";
import { type GatewayPath, readGatewayPath } from "./gateway-path.ts";
import { keyOfSession } from "./gateway-session.ts";

/** To the address of an engine on this host, where the kernel accepts for engines that sleep. */
const CONNECT_MS = 10_000;

type Host = Pick<HostContext, "db" | "live" | "settings" | "metrics" | "logger" | "sessions" | "box">;
type GatewayOutcome = "answered" | "refused" | "unreachable" | "cut";

interface Refusal {
  readonly code: EngineErrorCode;
  readonly message: string;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS?: number;
}

/**
 * Passes `/e/{engine_id}/…` on to the engine, which authenticates the call as if it came directly. Bodies and streams
 * pass without being buffered; the slower side sets the pace, and each side's end ends the other. A call wakes a
 * sleeping engine. A session of the console is authenticated here; the engine gets the daemon's key for it. Refusals
 * have the form of the engine's own errors.
 */
export function createGateway(host: Host, { site, cookie }: Omit<SessionParts, "host">): RequestListener {
  const addresses = new EngineAddresses(host);
  return (request, response) => {
    const count = (outcome: GatewayOutcome) => host.metrics.gatewayCalls.inc({ outcome });
    const refuse = (refusal: Refusal) => {
      count("refused");
      sendRefusal(response, refusal);
    };
    const forward = async () => {
      // Against DNS rebinding, as on the daemon's own open routes.
      const problem = site.hostProblem(request);
      if (problem !== null) return refuse({ code: "INVALID_REQUEST", message: problem });
      const path = readGatewayPath(request.url ?? "");
      if (path === null) return refuse({ code: "NOT_FOUND", message: "expected /e/{engine_id}/… of an engine" });
      const verdict = await keyOfSession(host, { site, cookie }, { request, response, path });
      if (verdict.kind === "refused") return refuse(verdict.refusal);
      const { keyHeader } = verdict;
      const address = await addresses.find(path.engineId);
      if (response.closed) return count("cut");
      if (address.kind === "unknown") return refuse({ code: "NOT_FOUND", message: "no engine with this id" });
      if (address.kind === "not_running")
        return refuse({ code: "ENGINE_NOT_RUNNING", message: "the engine is stopped; its product starts it" });
      return passOn({ request, response }, { url: address.url, path, keyHeader, count });
    };
    forward().catch((error: unknown) => {
      host.logger.warn({ err: error }, "failed to find an engine for a call through the gateway");
      refuse({ code: "SERVICE_UNAVAILABLE", message: "orchd cannot look up the engine now", retryAfterS: 5 });
    });
  };
}

function passOn(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  {
    url,
    path: { target, needsKey },
    keyHeader,
    count,
  }: {
    readonly url: string;
    readonly path: GatewayPath;
    readonly keyHeader: Readonly<Record<string, string>>;
    readonly count: (outcome: GatewayOutcome) => void;
  },
): void {
  const { hostname, port, host } = new URL(url);
  const upstream = httpRequest({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    path: target,
    method: request.method,
    // With `close` an engine that refuses a body would reset the connection under its answer.
    headers: { ...endToEndHeaders(request.headers), ...keyHeader, host, via: "1.1 orchd", connection: "keep-alive" },
    // An engine closes its idle connections before it sleeps: a call on a kept one could be lost.
    agent: false,
  });
  let connected = false;
  const late = setTimeout(() => upstream.destroy(new Error("no connection")), CONNECT_MS);
  upstream.setNoDelay(true);
  upstream.once("socket", (socket) => {
    socket.once("connect", () => {
      connected = true;
      clearTimeout(late);
    });
  });
  upstream.once("response", (answer) => {
    const { statusCode = 502 } = answer;
    if (needsKey && statusCode < 400) request.socket.emit(AUTHENTICATED);
    response.writeHead(statusCode, answerHeaders(answer.headers)).flushHeaders();
    pipeline(answer, response, (error) => count(error ? "cut" : "answered"));
  });
  upstream.on("error", () => {
    clearTimeout(late);
    if (response.headersSent || response.closed) return;
    if (connected) {
      // The engine may have run the call: its caller learns as much as from a direct connection that is lost.
      count("cut");
      request.socket.destroy();
      return;
    }
    count("unreachable");
    sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message: "the engine cannot be reached", retryAfterS: 1 });
  });
  response.once("close", () => {
    clearTimeout(late);
    upstream.destroy();
  });
  request.pipe(upstream);
}

function sendRefusal(response: ServerResponse, { code, message, retryAfterS }: Refusal): void {
  if (response.headersSent || response.closed) return;
  const body: EngineErrorBody = { error: code, message };
  response
    .writeHead(ENGINE_ERRORS[code].status ?? 500, {
      "content-type": "application/json",
      ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
    })
    .end(JSON.stringify(body));
}
