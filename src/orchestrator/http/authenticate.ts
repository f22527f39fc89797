import type { Request } from "express";
import { ADMIN_KEY_HEADER, PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { sameSecret } from "../../kit/secrets.ts";
import { ApiError } from "../api-error.ts";
import { type Product, identifyProduct } from "../operations/identify-product.ts";
import type { Orchestration } from "../operations/orchestration.ts";

export const authenticatePlatform = (o: Orchestration, request: Request): Promise<Product> =>
  identifyProduct(o, request.get(PLATFORM_KEY_HEADER));

const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/** A caller on this host itself. What a reverse proxy passes on comes from this host too, but says so. */
export function isLocal({ socket: { remoteAddress: address }, headers }: Request): boolean {
  const loopback = address === "::1" || address?.startsWith("127.") || address?.startsWith("::ffff:127.");
  return loopback === true && !FORWARDED.some((name) => headers[name] !== undefined);
}

export function authenticateAdmin(adminKey: string, request: Request): void {
  if (!sameSecret(request.get(ADMIN_KEY_HEADER) ?? "", adminKey)) {
    throw new ApiError("INVALID_ADMIN_KEY", "the admin key is missing or wrong");
  }
}
