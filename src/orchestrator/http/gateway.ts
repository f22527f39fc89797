import type { RequestListener, ServerResponse } from "node:http";
import type { EngineErrorBody } from "../../contract/engine-api.ts";
import { ENGINE_ERRORS, type EngineErrorCode } from "../../contract/engine-errors.ts";
import { hostProblem } from "../../shared/http/local-caller.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import type { HostContext } from "../host-context.ts";
import { EngineAddresses } from "../status/engine-addresses.ts";
import { type GatewayPath, readGatewayPath } from "./gateway-path.ts";
import { type Exchange, callUpstream, relayAnswer } from "./upstream-call.ts";

/** To the address of an engine on this host, where the kernel accepts for engines that sleep. */
const CONNECT_MS = 10_000;

type Host = Pick<HostContext, "db" | "live" | "settings" | "metrics" | "logger">;
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
 * sleeping engine. Refusals have the form of the engine's own errors.
 */
export function createGateway(host: Host, { listenHost }: { readonly listenHost: string }): RequestListener {
  const addresses = new EngineAddresses(host);
  const { publicUrl } = host.settings;
  const ownHost = publicUrl === null ? listenHost : new URL(publicUrl).hostname;
  return (request, response) => {
    const count = (outcome: GatewayOutcome) => host.metrics.gatewayCalls.inc({ outcome });
    const refuse = (refusal: Refusal) => {
      count("refused");
      sendRefusal(response, refusal);
    };
    const forward = async () => {
      // Against DNS rebinding, as on the daemon's own open routes.
      const problem = hostProblem(request, listenHost) === null ? null : hostProblem(request, ownHost);
      if (problem !== null) return refuse({ code: "INVALID_REQUEST", message: problem });
      const path = readGatewayPath(request.url ?? "");
      if (path === null) return refuse({ code: "NOT_FOUND", message: "expected /e/{engine_id}/… of an engine" });
      const address = await addresses.find(path.engineId);
      if (response.closed) return count("cut");
      if (address.kind === "unknown") return refuse({ code: "NOT_FOUND", message: "no engine with this id" });
      if (address.kind === "not_running")
        return refuse({ code: "ENGINE_NOT_RUNNING", message: "the engine is stopped; its product starts it" });
      return passOn({ request, response }, { url: address.url, path, count });
    };
    forward().catch((error: unknown) => {
      host.logger.warn({ err: error }, "failed to find an engine for a call through the gateway");
      refuse({ code: "SERVICE_UNAVAILABLE", message: "orchd cannot look up the engine now", retryAfterS: 5 });
    });
  };
}

async function passOn(
  { request, response }: Exchange,
  {
    url,
    path: { target, needsKey },
    count,
  }: { readonly url: string; readonly path: GatewayPath; readonly count: (outcome: GatewayOutcome) => void },
): Promise<void> {
  const outcome = await callUpstream(
    { request, response },
    {
      url,
      path: target,
      headers: { host: new URL(url).host, via: "1.1 orchd" },
      connectMs: CONNECT_MS,
      sendBody: (upstream) => request.pipe(upstream),
    },
  );
  switch (outcome.kind) {
    case "answered":
      if (needsKey && (outcome.answer.statusCode ?? 502) < 400) request.socket.emit(AUTHENTICATED);
      return count(await relayAnswer(outcome.answer, response));
    case "gone":
      return count("cut");
    case "lost":
      // The engine may have run the call: its caller learns as much as from a direct connection that is lost.
      count("cut");
      request.socket.destroy();
      return;
    case "unreachable":
      count("unreachable");
      sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message: "the engine cannot be reached", retryAfterS: 1 });
      return;
    default:
      return outcome satisfies never;
  }
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
