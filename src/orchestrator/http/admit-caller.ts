import type { Request, Response } from "express";
import { type Route, maxBodyBytes } from "../../contract/orchestrator-routes/route-row.ts";
import { declaredLength } from "../../shared/http/receive-body.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { type Product, identifyProduct } from "../operations/identify-product.ts";
import type { HostContext } from "../host-context.ts";
import type { RequestLimit } from "./limit-requests.ts";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { hostProblem, isFromAnotherSite, isLocalCaller } from "../../shared/http/local-caller.ts";
import { sameSecret } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";

/** What one call of the minute pays for; a larger body or list costs more of them. */
const BYTES_PER_CALL = 8 * 1024;
const RECORDS_PER_CALL = 50;
const CALLS_PER_ARCHIVE = 20;
const MAX_RECORDS = 200;

interface AdmissionParts {
  readonly host: HostContext;
  readonly adminKey: string;
  /** Where the daemon listens. */
  readonly listenHost: string;
  readonly limit: RequestLimit;
}

/** Authentication and rate limit of a call, by its headers alone. Gives the product of a platform call. */
export async function admitCaller(
  { host, adminKey, listenHost, limit }: AdmissionParts,
  route: Route,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<Product | null> {
  if (route.auth === "none") {
    assertOwnHost(listenHost, request);
    return null;
  }
  if (route.auth === "local") {
    authenticateLocal({ adminKey, host: listenHost }, request);
    return null;
  }
  host.readiness.assertServes(route.method === "GET" ? "read" : "write");
  if (route.auth === "webhook") return null;
  if (route.auth === "admin") {
    authenticateAdmin(adminKey, request);
    request.socket.emit(AUTHENTICATED);
    return null;
  }
  const product = await authenticatePlatform(host, request);
  request.socket.emit(AUTHENTICATED);
  limit.count(product, response, costOf(request, route));
  limit.open(product, response);
  return product;
}

/** A body whose length is not declared may be as large as the route allows. */
function costOf(request: Request, route: Route): number {
  // Few products could push the largest archive within their calls of a minute otherwise.
  if (route.requestArchive === true) return CALLS_PER_ARCHIVE;
  const bytes = declaredLength(request) ?? maxBodyBytes(route);
  // Given more often, the last one counts.
  const records = Math.min(Number([request.query["limit"]].flat().at(-1)) || 0, MAX_RECORDS);
  return Math.max(1, Math.ceil(bytes / BYTES_PER_CALL), Math.ceil(records / RECORDS_PER_CALL));
}

const authenticatePlatform = (host: HostContext, request: Request): Promise<Product> =>
  identifyProduct(host, request.get(PLATFORM_KEY_HEADER));

/** Refuses a call without a key that a browser may have been tricked into. */
export function assertOwnHost(host: string, request: Request): void {
  const problem = hostProblem(request, host);
  if (problem !== null) throw new ApiError("INVALID_REQUEST", problem);
}

/** Callers on this host need no key, unless they are browsers that speak for another site. */
function authenticateLocal({ adminKey, host }: { adminKey: string; host: string }, request: Request): void {
  const trusted = isLocalCaller(request) && hostProblem(request, host) === null && !isFromAnotherSite(request);
  // Scrapers that can send no other header send the admin key as a bearer token.
  const [, bearer = ""] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
  if (!trusted && !sameSecret(bearer, adminKey)) authenticateAdmin(adminKey, request);
}

function authenticateAdmin(adminKey: string, request: Request): void {
  if (!sameSecret(request.get(ADMIN_KEY_HEADER) ?? "", adminKey)) {
    throw new ApiError("INVALID_ADMIN_KEY", "the admin key is missing or wrong");
  }
}
