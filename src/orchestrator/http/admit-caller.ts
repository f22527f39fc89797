import type { Request, Response } from "express";
import { sameSecret } from "../../contract/orchestrator/api-keys.ts";
import { CONSOLE_HEADER, CONSOLE_PRODUCT_HEADER, type SessionRole } from "../../contract/console/session-limits.ts";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../../contract/orchestrator/headers.ts";
import { type Route, maxBodyBytes } from "../../contract/orchestrator/routes/route-row.ts";
import { roleFor } from "../../contract/route-table.ts";
import { isFromAnotherSite, isLocalCaller } from "../../shared/http/local-caller.ts";
import { declaredLength } from "../../shared/http/receive-body.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext, Records, Runtime, Service } from "../host-context.ts";
import { type Product, identifyProduct, productOfSession } from "../operations/identify-product.ts";
import type { Session } from "../status/sessions.ts";
import { type SessionParts, admitSession, claimsSession } from "./admit-session.ts";
import type { RequestLimit } from "./limit-requests.ts";
import type { OriginCheck } from "./origin-check.ts";

/** What one request of the rate limit covers. A larger body or list counts as several requests. */
const BYTES_PER_CALL = 8 * 1024;
const RECORDS_PER_CALL = 50;
const CALLS_PER_ARCHIVE = 20;
const MAX_RECORDS = 200;
/** The part of a call that a look-up costs. */
const LOOK_UP = 0.1;

interface AdmissionParts extends SessionParts {
  readonly host: Records & Service & Runtime;
  readonly adminKey: string;
  readonly limit: RequestLimit;
}

/** The authenticated caller. */
export interface Caller {
  /** Null unless a platform key, or a session that names a product, authenticates the call. */
  readonly product: Product | null;
  /** Null for a call without a console session. */
  readonly session: Session | null;
  /** Whether the key or session is still valid. Rejects when the database cannot tell. */
  readonly isStillAdmitted: () => Promise<boolean>;
  /** Charges the rest of the cost of a route that looks up first. */
  readonly chargeRest: () => void;
}

const uncounted = (): void => undefined;
const ALWAYS: Caller = {
  product: null,
  session: null,
  isStillAdmitted: async () => true,
  chargeRest: uncounted,
};

/** Authenticates a call and counts it against the rate limit, by its headers alone. */
export async function admitCaller(
  parts: AdmissionParts,
  route: Route,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<Caller> {
  const { host, site, limit } = parts;
  const role = roleFor(route, request.query);
  const bySession = role !== null && (route.auth === "session" || claimsSession(request));
  if (route.auth === "none") assertOwnHost(site, request);
  if (route.auth === "local" && !bySession) authenticateLocal(parts, request);
  if (route.auth === "none" || route.auth === "local")
    return bySession ? callerOfSession(parts, route, { request, role }) : ALWAYS;
  host.readiness.assertServes(route.method === "GET" ? "read" : "write");
  if (route.auth === "webhook") return ALWAYS;
  if (route.auth === "sign_in") {
    assertFromConsole(site, request);
    return ALWAYS;
  }
  if (bySession) return callerOfSession(parts, route, { request, role });
  if (route.auth !== "platform") {
    authenticateAdmin(parts, request);
    request.socket.emit(AUTHENTICATED);
    return ALWAYS;
  }
  const key = request.get(PLATFORM_KEY_HEADER);
  const product = await identifyProduct(host, key);
  request.socket.emit(AUTHENTICATED);
  const cost = costOf(request, route);
  const part = route.looksUpFirst === true ? LOOK_UP : 1;
  limit.count(product, response, { cost, part });
  limit.open(product, response);
  const chargeRest = () => limit.count(product, response, { cost, part: 1 - part });
  return { product, session: null, isStillAdmitted: () => isProductsKey(host, key), chargeRest };
}

/** Within its role, a session has the rights of the admin key, and of the key of the product that the call names. */
async function callerOfSession(
  parts: AdmissionParts,
  route: Route,
  { request, role }: { readonly request: Request; readonly role: SessionRole },
): Promise<Caller> {
  const verdict = await admitSession(parts, request, { role });
  if (verdict.kind === "refused") throw new ApiError(verdict.code, verdict.message);
  request.socket.emit(AUTHENTICATED);
  const { session, isOpen: isStillAdmitted } = verdict;
  const named = request.get(CONSOLE_PRODUCT_HEADER);
  const product = route.auth === "platform" ? await productOfSession(parts.host, named) : null;
  return { product, session, isStillAdmitted, chargeRest: uncounted };
}

async function isProductsKey(host: Pick<HostContext, "directory" | "now">, key: string | undefined): Promise<boolean> {
  try {
    await identifyProduct(host, key);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The number of requests that a call counts as. Without Content-Length, the route's largest body is assumed. */
function costOf(request: Request, route: Route): number {
  // A fixed cost, since by size the largest archive would exceed the rate limit of most products.
  if (route.requestArchive === true) return CALLS_PER_ARCHIVE;
  const bytes = declaredLength(request) ?? maxBodyBytes(route);
  if (route.requestBytes === true) return Math.min(CALLS_PER_ARCHIVE, Math.max(1, Math.ceil(bytes / BYTES_PER_CALL)));
  // The last value of a repeated parameter counts.
  const records = Math.min(Number([request.query["limit"]].flat().at(-1)) || 0, MAX_RECORDS);
  return Math.max(1, Math.ceil(bytes / BYTES_PER_CALL), Math.ceil(records / RECORDS_PER_CALL));
}

/** Protects a route without a key against DNS rebinding. */
export function assertOwnHost(site: OriginCheck, request: Request): void {
  const problem = site.hostProblem(request);
  if (problem !== null) throw new ApiError("INVALID_REQUEST", problem);
}

/** Protects against login CSRF: another site could sign the browser in to a session of the attacker. */
function assertFromConsole(site: OriginCheck, request: Request): void {
  const problem = claimsSession(request) ? site.pageProblem(request) : `${CONSOLE_HEADER}: expected 1`;
  if (problem !== null) throw new ApiError("INVALID_REQUEST", problem);
}

/** Callers on this host need no key, unless they are browsers with a page of another site. */
export function authenticateLocal(parts: Pick<AdmissionParts, "site" | "adminKey">, request: Request): void {
  const trusted = isLocalCaller(request) && parts.site.hostProblem(request) === null && !isFromAnotherSite(request);
  // Scrapers that can send no other header send the admin key as a bearer token.
  const [, bearer = ""] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
  if (!trusted && !sameSecret(bearer, parts.adminKey)) authenticateAdmin(parts, request);
}

function authenticateAdmin({ adminKey }: Pick<AdmissionParts, "adminKey">, request: Request): void {
  if (!sameSecret(request.get(ADMIN_KEY_HEADER) ?? "", adminKey)) {
    throw new ApiError("INVALID_ADMIN_KEY", "X-Admin-Key: the admin key is missing or wrong");
  }
}
