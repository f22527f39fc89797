import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { CONTROL_TOKEN_HEADER, isControlPath } from "../../contract/engine/control.ts";
import { ENGINE_KEY_HEADER, SCOPES_HEADER, TURN_LIMIT_HEADER } from "../../contract/engine/headers.ts";
import { BOUND_KEY_HEADER, type TaskBounds, writeBoundKey } from "../../contract/engine/task-bounds.ts";
import type { HostContext } from "../host-context.ts";
import type { Refusal } from "../operations/reach-engine.ts";
import { daemonKey } from "../status/daemon-key.ts";
import type { Principal } from "../status/principal.ts";
import { sandboxedHeaders } from "./console-headers.ts";
import { answerPreflight, crossOrigin } from "./cross-origin.ts";
import { neededScopes } from "./engine-scopes.ts";
import { type GatewayPath, endUserTarget } from "./gateway-path.ts";
import type { UserRequestLimit } from "./user-request-limit.ts";

const MAX_HEADER = 8192;

/** Not passed on to the engine: the token, and what could claim more than it permits. */
export const USER_CREDENTIALS: readonly string[] = [
  "authorization",
  "x-api-key",
  "cookie",
  "origin",
  ENGINE_KEY_HEADER.toLowerCase(),
  BOUND_KEY_HEADER.toLowerCase(),
  TURN_LIMIT_HEADER.toLowerCase(),
  SCOPES_HEADER.toLowerCase(),
  CONTROL_TOKEN_HEADER.toLowerCase(),
];

type EndUserVerdict =
  | { readonly kind: "admitted"; readonly path: GatewayPath; readonly keyHeader: Readonly<Record<string, string>> }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** A user of the product's identity provider who has no engine. */
  | { readonly kind: "new_user"; readonly principal: Principal }
  /** A preflight, which wakes nobody. */
  | { readonly kind: "answered" };

export interface EndUserParts {
  readonly host: Pick<HostContext, "userTokens" | "allowedOrigins" | "directory" | "box">;
  readonly limit: UserRequestLimit;
}

/** Authenticates a call by the token of its user, whose engine it is for, and checks what the token permits. */
export async function admitEndUser(
  { host, limit }: EndUserParts,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<EndUserVerdict> {
  const { method = "GET", url, headers } = request;
  const page = await crossOrigin(host.allowedOrigins, request, response);
  if (method === "OPTIONS") return answerPreflight(request, response, page);
  const token = bearerOf(headers.authorization);
  const principal = token === null ? null : await host.userTokens.verify(token);
  if (token === null || principal === null) {
    const message = "Authorization: expected Bearer and a token that is valid now";
    return refused({ code: "INVALID_TOKEN", message });
  }
  const policy = await host.directory.policyOfEngine(principal);
  if (policy === null) return refused({ code: "INVALID_TOKEN", message: "the product was deleted" });
  if (page !== null && !policy.allowed_origins.includes(page.origin)) {
    const message = "Origin: the policy's allowed_origins does not list it";
    return refused({ code: "ORIGIN_NOT_ALLOWED", message });
  }
  const { engineId } = principal;
  const over = engineId === null ? null : limit.count(engineId, policy.user_requests_per_minute);
  if (over !== null) return refused(over);
  const target = endUserTarget(url);
  const problem = scopeProblem(method, target, principal.scopes);
  if (problem !== null) return refused(problem);
  // Only for a call that the token permits.
  if (engineId === null) return { kind: "new_user", principal };
  // The engine's own streams end with their connection.
  const forget = host.userTokens.watch(token, { ...principal, engineId }, () => response.destroy());
  // A client that has left meanwhile emits no `close` any more.
  if (response.closed) forget();
  else response.once("close", forget);
  const key = daemonKey(host, engineId);
  return {
    kind: "admitted",
    path: { engineId, target, needsKey: true },
    keyHeader: {
      ...keyHeader(key, principal.tasks),
      ...turnLimit(policy.user_concurrent_turns),
      [SCOPES_HEADER.toLowerCase()]: [...principal.scopes].join(" "),
    },
  };
}

/** With the key of a token for some tasks, the engine keeps the call to them. */
const keyHeader = (key: string, tasks: TaskBounds | null): Readonly<Record<string, string>> =>
  tasks === null
    ? { [ENGINE_KEY_HEADER.toLowerCase()]: key }
    : { [BOUND_KEY_HEADER.toLowerCase()]: writeBoundKey(key, tasks) };

const turnLimit = (limit: number | null): Readonly<Record<string, string>> =>
  limit === null ? {} : { [TURN_LIMIT_HEADER.toLowerCase()]: String(limit) };

/** The headers of an engine's response to a page of another origin: what the daemon has said of origins stays. */
export function endUserHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const own = Object.entries(headers).filter(([name]) => !name.startsWith("access-control-") && name !== "vary");
  return sandboxedHeaders(Object.fromEntries(own));
}

function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > MAX_HEADER) return null;
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

function scopeProblem(method: string, target: string, scopes: ReadonlySet<string>): Refusal | null {
  const [path = ""] = target.split("?");
  const needed = neededScopes(method, path, new URLSearchParams(target.slice(path.length)));
  if (isControlPath(path.toLowerCase()) || needed.kind === "unknown_path")
    return { code: "NOT_FOUND", message: "no route of an engine has this path" };
  if (needed.kind === "none_permits")
    return { code: "INSUFFICIENT_SCOPE", message: "no token of an end user permits this call" };
  const missing = needed.scopes.find((scope) => !scopes.has(scope));
  if (missing === undefined) return null;
  return { code: "INSUFFICIENT_SCOPE", message: `the call needs the scope ${missing}`, details: { scope: missing } };
}

const refused = (refusal: Refusal): EndUserVerdict => ({ kind: "refused", refusal });
