import type { IncomingMessage, ServerResponse } from "node:http";
import type { AllowedOrigins } from "../status/allowed-origins.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** Names of headers. Those that could claim more than the token permits are not passed on to the engine. */
const HEADER_NAMES = /^[\w-]{1,64}(, ?[\w-]{1,64}){0,63}$/;
/** Response headers that pages may read. */
const EXPOSED =
  "X-Turn-Id, X-Message-Id, X-Task-Id, Mcp-Session-Id, Idempotent-Replayed, X-Truncated, X-Oldest-Ts, Retry-After, ETag, Content-Range, Content-Disposition";
const MAX_AGE_S = "600";

interface OriginOfPage {
  readonly origin: string;
  /** Whether a product allows it. */
  readonly isAllowed: boolean;
}

/**
 * Lets the page read the response, also a refusal, when a product allows its origin. Null for a call from no other origin.
 * Credentials such as cookies are never allowed, so another site cannot call in a user's name.
 */
export async function crossOrigin(
  allowed: Pick<AllowedOrigins, "includes">,
  { headers: { origin, host } }: IncomingMessage,
  response: ServerResponse,
): Promise<OriginOfPage | null> {
  response.setHeader("vary", "Origin");
  if (origin === undefined || (host !== undefined && URL.parse(origin)?.host === host)) return null;
  // A sandboxed page and a file have the origin null, which anyone can have.
  const isAllowed = origin !== "null" && (await allowed.includes(origin));
  if (isAllowed) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", EXPOSED);
  }
  return { origin, isAllowed };
}

/** Answers a preflight without a token, which browsers do not send with it. */
export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  page: OriginOfPage | null,
):
  | { readonly kind: "answered" }
  | {
      readonly kind: "refused";
      readonly refusal: { readonly code: "ORIGIN_NOT_ALLOWED" | "METHOD_NOT_ALLOWED"; readonly message: string };
    } {
  if (page === null || request.headers["access-control-request-method"] === undefined) {
    const message = "OPTIONS is for the preflights of pages of another origin";
    return { kind: "refused", refusal: { code: "METHOD_NOT_ALLOWED", message } };
  }
  if (!page.isAllowed) {
    const message = "Origin: no product's allowed_origins lists it";
    return { kind: "refused", refusal: { code: "ORIGIN_NOT_ALLOWED", message } };
  }
  const { "access-control-request-headers": wanted = "" } = request.headers;
  response
    .writeHead(204, {
      "access-control-allow-methods": METHODS,
      ...(HEADER_NAMES.test(wanted) && { "access-control-allow-headers": wanted }),
      "access-control-max-age": MAX_AGE_S,
    })
    .end();
  return { kind: "answered" };
}
