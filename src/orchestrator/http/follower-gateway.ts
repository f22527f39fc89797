import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestListener } from "node:http";
import { BASE_URL_HEADER } from "../../contract/engine/headers.ts";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { DirectAddresses } from "../status/direct-addresses.ts";
import type { Metrics } from "../status/metrics.ts";
import { claimsSession } from "./admit-session.ts";
import { CONSOLE_CREDENTIALS, sandboxedHeaders } from "./console-headers.ts";
import { type EndUserParts, USER_CREDENTIALS, admitEndUser, endUserHeaders } from "./end-user-call.ts";
import { sendRefusal } from "./gateway.ts";
import { isAboutConnections } from "./end-user-connections.ts";
import { type GatewayPath, engineRoot, isEndUserUrl, readGatewayPath } from "./gateway-path.ts";
import { callForRest } from "./call-for-rest.ts";
import { type ResumedCall, holdStream, mayBeHeld } from "./held-stream.ts";
import type { OriginCheck } from "./origin-check.ts";
import { type LeaderProxy, isForwarded } from "./forward-to-leader.ts";
import { type Exchange, callUpstream, relayResponse } from "./upstream-call.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";

const CONNECT_MS = 2000;
/** How often a follower reads whether an engine runs whose stream it holds. The reads of all streams are batched. */
const HELD_POLL_MS = 2000;

interface FollowerGatewayParts {
  readonly addresses: DirectAddresses;
  /** What admits end users. Opened at the first call of one. */
  readonly endUsers: () => Promise<EndUserParts>;
  readonly leaderProxy: LeaderProxy;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly site: OriginCheck;
}

/**
 * The gateway of a follower. It calls a running engine directly, so that a change of the leader does not cut the stream.
 * Calls that need the leader, such as those that wake an engine, are forwarded to the leader's gateway.
 */
export function createFollowerGateway(parts: FollowerGatewayParts): RequestListener {
  const { metrics, logger, site, leaderProxy } = parts;
  const forward = async (exchange: Exchange) => {
    const { request, response } = exchange;
    const problem = site.hostProblem(request);
    if (problem !== null) return sendRefusal(response, { code: "INVALID_REQUEST", message: problem });
    const direct = await (isEndUserUrl(request.url) ? callAsEndUser(parts, exchange) : callByKey(parts, exchange));
    if (direct !== null) return direct;
    const unavailable = (message: string) =>
      sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message, retryAfterS: 1 });
    if (isForwarded(request)) return unavailable("this orchd follows another one");
    const outcome = await leaderProxy.forward(exchange);
    metrics.replicaCalls.inc({ outcome });
    if (outcome === "missing") return unavailable("no orchd leads this host now");
    // The engine may have executed the call. The client sees a lost connection, as without a gateway.
    if (outcome === "lost") request.socket.destroy();
    return outcome === "answered" ? "answered" : "cut";
  };
  return (request, response) => {
    const answered = forward({ request, response }).catch((error: unknown) => {
      logger.warn({ err: error }, "failed to forward a call to an engine");
      return sendRefusal(response, { code: "SERVICE_UNAVAILABLE", message: "orchd cannot reach its database" });
    });
    inBackground(
      "call of an engine",
      answered.then((outcome) => metrics.gatewayCalls.inc({ outcome })),
    );
  };
}

/** Null for a call that only the leader can serve now. */
type DirectOutcome = "answered" | "refused" | "cut" | null;

async function callByKey(parts: FollowerGatewayParts, exchange: Exchange): Promise<DirectOutcome> {
  const { request, response } = exchange;
  const path = readGatewayPath(request.url ?? "");
  if (path === null)
    return sendRefusal(response, { code: "NOT_FOUND", message: "expected /e/{engine_id}/… of an engine" });
  // Only the leader authenticates sessions of the console.
  return claimsSession(request) ? null : callDirectly(parts, exchange, { path, ...BY_KEY });
}

/**
 * Admits a call as the leader does, by the same records, and ends it when its token is revoked. The leader refuses what is
 * not admitted here, since this process may hear of a new key or user later.
 */
async function callAsEndUser(parts: FollowerGatewayParts, exchange: Exchange): Promise<DirectOutcome> {
  const { response } = exchange;
  try {
    const admitted = await admitEndUser(await parts.endUsers(), exchange);
    switch (admitted.kind) {
      case "answered":
        return "answered";
      case "refused":
        return admitted.refusal.code === "INVALID_TOKEN" ? null : sendRefusal(response, admitted.refusal);
      case "new_user":
        return null;
      case "admitted":
        if (isAboutConnections(admitted.path.target)) return null;
        return await callDirectly(parts, exchange, { ...admitted, ...BY_TOKEN });
      default:
        return admitted satisfies never;
    }
  } catch (error) {
    if (response.headersSent) throw error;
    parts.logger.warn({ err: error }, "failed to admit an end user, passing the call on to the leader");
    return null;
  }
}

interface DirectCall {
  readonly path: GatewayPath;
  readonly keyHeader: Readonly<Record<string, string>>;
  readonly without: readonly string[];
  readonly changeHeaders: (headers: OutgoingHttpHeaders) => OutgoingHttpHeaders;
}
const BY_KEY = { keyHeader: {}, without: CONSOLE_CREDENTIALS, changeHeaders: sandboxedHeaders };
const BY_TOKEN = { without: USER_CREDENTIALS, changeHeaders: endUserHeaders };

/** Null when the engine does not accept the call now, so it was not executed. */
async function callDirectly(
  { addresses, site }: Pick<FollowerGatewayParts, "addresses" | "site">,
  exchange: Exchange,
  { path: { engineId, target, needsKey }, keyHeader, without, changeHeaders }: DirectCall,
): Promise<DirectOutcome> {
  const { request, response } = exchange;
  const url = await addresses.find(engineId);
  if (url === null) return null;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const outcome = await callUpstream(exchange, {
    url,
    path: target,
    headers: {
      ...keyHeader,
      host: new URL(url).host,
      [BASE_URL_HEADER.toLowerCase()]: site.addressFor(request) + engineRoot(request.url),
      via: "1.1 orchd",
    },
    without,
    connectMs: CONNECT_MS,
    // The leader may put the engine to sleep at any moment.
    asksFirst: true,
    signal: gone.signal,
    sendBody: (upstream: ClientRequest) => request.pipe(upstream),
  });
  switch (outcome.kind) {
    case "answered":
      if (needsKey && (outcome.answer.statusCode ?? 502) < 400) request.socket.emit(AUTHENTICATED);
      if (mayBeHeld(exchange, target, outcome.answer)) {
        const reopen = (resumed: ResumedCall) =>
          callWhenUp(addresses, { exchange, engineId, resumed, keyHeader, without, signal: gone.signal });
        return holdStream(outcome.answer, { exchange, target, changeHeaders, reopen });
      }
      return relayResponse(outcome.answer, response, changeHeaders);
    case "unreachable":
      return null;
    case "lost":
      request.socket.destroy();
      return "cut";
    case "gone":
      return "cut";
    default:
      return outcome satisfies never;
  }
}

/** Repeats a call of a held stream when the engine runs again. Null when the client goes, or the engine answers otherwise. */
async function callWhenUp(
  addresses: DirectAddresses,
  {
    exchange,
    engineId,
    ...call
  }: Pick<DirectCall, "keyHeader" | "without"> & {
    readonly exchange: Exchange;
    readonly engineId: string;
    readonly resumed: ResumedCall;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage | null> {
  while (await delay(HELD_POLL_MS, call.signal)) {
    const url = await addresses.find(engineId);
    if (url === null) continue;
    const outcome = await callForRest(url, { exchange, ...call });
    if (outcome !== "asleep") return outcome;
  }
  return null;
}
