import type { Request } from "express";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { hostProblem, isFromAnotherSite, isLocalCaller } from "../../shared/http/local-caller.ts";
import { sameSecret } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { type Product, identifyProduct } from "../operations/identify-product.ts";
import type { HostContext } from "../host-context.ts";

export const authenticatePlatform = (host: HostContext, request: Request): Promise<Product> =>
  identifyProduct(host, request.get(PLATFORM_KEY_HEADER));

/** Refuses a call without a key that a browser may have been tricked into. */
export function assertOwnHost(host: string, request: Request): void {
  const problem = hostProblem(request, host);
  if (problem !== null) throw new ApiError("INVALID_REQUEST", problem);
}

/** Callers on this host need no key, unless they are browsers that speak for another site. */
export function authenticateLocal({ adminKey, host }: { adminKey: string; host: string }, request: Request): void {
  const trusted = isLocalCaller(request) && hostProblem(request, host) === null && !isFromAnotherSite(request);
  if (!trusted) authenticateAdmin(adminKey, request);
}

export function authenticateAdmin(adminKey: string, request: Request): void {
  if (!sameSecret(request.get(ADMIN_KEY_HEADER) ?? "", adminKey)) {
    throw new ApiError("INVALID_ADMIN_KEY", "the admin key is missing or wrong");
  }
}
