import type { ClientRequest, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { inBackground } from "../../shared/background.ts";
import type { EngineErrorBody } from "../../contract/engine/error-body.ts";
import { ENGINE_ERRORS } from "../../contract/engine/errors.ts";
import { BASE_URL_HEADER } from "../../contract/engine/headers.ts";
import { protocolAt } from "../../contract/engine/protocol-routes.ts";
import { protocolErrorBody } from "../../contract/engine/protocols.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";
import type { AutoProvision } from "../operations/auto-provision.ts";
import { type Refusal, reachDeadline, reachEngine } from "../operations/reach-engine.ts";
import { whenAwake } from "../operations/when-awake.ts";
import { EngineAddresses } from "../status/engine-addresses.ts";
import { nextChange } from "../status/await-state.ts";
import type { SessionParts } from "./admit-session.ts";
import { CONSOLE_CREDENTIALS, sandboxedHeaders } from "./console-headers.ts";
import { callForRest } from "./call-for-rest.ts";
import { type ResumedCall, holdStream, mayBeHeld } from "./held-stream.ts";
import { type GatewayPath, enginePath, engineRoot, isEndUserUrl, readGatewayPath } from "./gateway-path.ts";
import { USER_CREDENTIALS, admitEndUser, endUserHeaders } from "./end-user-call.ts";
import { answerAboutConnections, isAboutConnections } from "./end-user-connections.ts";
import { keyOfSession } from "./gateway-session.ts";
import { provisionEndUser } from "./new-end-user.ts";
import { UserRequestLimit } from "./user-request-limit.ts";
import { type Exchange, callUpstream, relayResponse } from "./upstream-call.ts";

/** The timeout of connecting to an engine. */
const CONNECT_MS = 10_000;
/** The interval of retries, unless the engine's state changes first. */
const RETRY_MS = 250;

type GatewayOutcome = "answered" | "refused" | "unreachable" | "cut";

/**
 * A reverse proxy from `/e/{engine_id}/…` to the engine, which authenticates the call as if it came directly. Bodies and
 * streams are not buffered; they have back-pressure, and either side's end closes the other. A call wakes a sleeping
 * engine and waits for a restarting one. Sessions of the console are authenticated here, and their calls get the daemon's
 * key. Errors have the form of the engine's own.
 */
export function createGateway(
  host: EngineHost & Service,
  { site, cookie, autoProvision }: Omit<SessionParts, "host"> & { readonly autoProvision: AutoProvision },
): RequestListener {
  const addresses = new EngineAddresses(host);
  const limit = new UserRequestLimit(host.now);
  const forward = async ({ request, response }: Exchange): Promise<GatewayOutcome> => {
    const refuse = (refusal: Refusal) => sendRefusal(response, refusal);
    // Protects against DNS rebinding, like the daemon's own routes without a key.
    const problem = site.hostProblem(request);
    if (problem !== null) return refuse({ code: "INVALID_REQUEST", message: problem });
    if (isEndUserUrl(request.url)) {
      let admitted = await admitEndUser({ host, limit }, { request, response });
      if (admitted.kind === "new_user") {
        const refusal = await provisionEndUser(host, autoProvision, admitted.principal);
        if (refusal !== null) return refuse(refusal);
        admitted = await admitEndUser({ host, limit }, { request, response });
      }
      if (admitted.kind === "answered") return "answered";
      if (admitted.kind === "refused") return refuse(admitted.refusal);
      if (admitted.kind === "new_user") {
        const message = "the engine was destroyed meanwhile";
        return refuse({ code: "SERVICE_UNAVAILABLE", message, retryAfterS: 1 });
      }
      if (isAboutConnections(admitted.path.target)) {
        const refusal = await answerAboutConnections(host, admitted.path, { request, response });
        return refusal === null ? "answered" : refuse(refusal);
      }
      const credentials = { without: USER_CREDENTIALS, changeHeaders: endUserHeaders };
      return deliver(host, addresses, { exchange: { request, response }, site, ...admitted, ...credentials });
    }
    const path = readGatewayPath(request.url ?? "");
    if (path === null) return refuse({ code: "NOT_FOUND", message: "expected /e/{engine_id}/… of an engine" });
    const verdict = await keyOfSession(host, { site, cookie }, { request, response, path });
    if (verdict.kind === "refused") return refuse(verdict.refusal);
    const credentials = { without: CONSOLE_CREDENTIALS, changeHeaders: sandboxedHeaders };
    return deliver(host, addresses, { exchange: { request, response }, site, path, ...verdict, ...credentials });
  };
  return (request, response) => {
    const answered = forward({ request, response }).catch((error: unknown) => {
      host.logger.warn({ err: error }, "failed to resolve an engine's address for the gateway");
      const message = "orchd cannot look up the engine now";
      return sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message, retryAfterS: 5 });
    });
    inBackground(
      "call of an engine",
      answered.then((outcome) => host.metrics.gatewayCalls.inc({ outcome })),
    );
  };
}

async function deliver(
  host: EngineHost,
  addresses: EngineAddresses,
  {
    exchange,
    site,
    path,
    keyHeader,
    without,
    changeHeaders,
  }: {
    readonly exchange: Exchange;
    readonly site: SessionParts["site"];
    readonly path: GatewayPath;
    readonly keyHeader: Readonly<Record<string, string>>;
    /** Headers of the request that are not passed on. */
    readonly without: readonly string[];
    readonly changeHeaders: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders;
  },
): Promise<GatewayOutcome> {
  const { request, response } = exchange;
  const { engineId, target, needsKey } = path;
  const deadline = reachDeadline(host);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  for (;;) {
    const reach = await reachEngine(host, addresses, { engineId, deadline, signal: gone.signal });
    if (reach.kind === "abandoned" || response.closed) return "cut";
    if (reach.kind === "refused") return sendRefusal(response, reach.refusal);
    const { url, held } = reach;
    const end = host.calls.begin(engineId);
    try {
      // With a held socket, the call waits in it.
      if (!held && isFallingAsleep(host, engineId)) continue;
      const headers = {
        ...keyHeader,
        host: new URL(url).host,
        [BASE_URL_HEADER.toLowerCase()]: site.addressFor(request) + engineRoot(request.url),
        via: "1.1 orchd",
      };
      const sendBody = (upstream: ClientRequest) => request.pipe(upstream);
      const call = {
        url,
        path: target,
        headers,
        without,
        connectMs: CONNECT_MS,
        asksFirst: !held,
        signal: gone.signal,
        sendBody,
      };
      const outcome = await callUpstream(exchange, call);
      switch (outcome.kind) {
        case "answered":
          end();
          if (needsKey && (outcome.answer.statusCode ?? 502) < 400) request.socket.emit(AUTHENTICATED);
          if (mayBeHeld(exchange, target, outcome.answer)) {
            const { signal } = gone;
            const callRest = (resumed: ResumedCall) => (at: string) =>
              callForRest(at, { exchange, resumed, keyHeader, without, signal });
            const reopen = (resumed: ResumedCall) =>
              whenAwake(host, addresses, { engineId, signal, call: callRest(resumed) });
            return await holdStream(outcome.answer, { exchange, target, changeHeaders, reopen });
          }
          return await relayResponse(outcome.answer, response, changeHeaders);
        case "gone":
          return "cut";
        case "lost":
          // The engine may have executed the call. The client sees a lost connection, as without a gateway.
          request.socket.destroy();
          return "cut";
        case "unreachable":
          break;
        default:
          return outcome satisfies never;
      }
    } finally {
      end();
    }
    if (held || performance.now() >= deadline) break;
    await nextChange(host, { engineId, waitMs: RETRY_MS, signal: gone.signal });
  }
  sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message: "the engine cannot be reached", retryAfterS: 1 });
  return "unreachable";
}

const isFallingAsleep = ({ live }: Pick<HostContext, "live">, engineId: string): boolean =>
  (live.get(engineId)?.fallingAsleep ?? null) !== null;

export function sendRefusal(
  response: ServerResponse,
  { code, message, details, retryAfterS }: Refusal,
): "refused" | "cut" {
  if (response.headersSent || response.closed) {
    // Its client sees that the response is incomplete.
    response.destroy();
    return "cut";
  }
  const status = ENGINE_ERRORS[code].status ?? 500;
  const protocol = protocolAt(enginePath(response.req.url));
  const body: object =
    protocol === null
      ? ({ error: code, message, ...(details !== undefined && { details }) } satisfies EngineErrorBody)
      : protocolErrorBody(protocol, { code, message, status, details });
  response
    .writeHead(status, {
      "content-type": "application/json",
      ...(code === "INVALID_TOKEN" && { "www-authenticate": 'Bearer error="invalid_token"' }),
      ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
    })
    .end(JSON.stringify(body));
  return "refused";
}
