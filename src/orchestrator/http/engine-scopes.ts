import { neededScopesOf } from "../../contract/engine/needed-scopes.ts";
import { PROTOCOL_ROUTES, type ProtocolRoute } from "../../contract/engine/protocol-routes.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../../contract/engine/routes.ts";
import type { Scope } from "../../contract/engine/scopes.ts";
import { rowsAt } from "../../contract/route-table.ts";

/** What the daemon answers itself for an end user. */
const OWN: readonly Pick<EngineRoute, "method" | "path" | "auth" | "scope" | "query">[] = [
  { method: "GET", path: "/connections", auth: "engine", scope: "connections" },
  { method: "POST", path: "/connections/{server}", auth: "engine", scope: "connections" },
  { method: "DELETE", path: "/connections/{server}", auth: "engine", scope: "connections" },
];

const find = rowsAt([
  ...OWN,
  ...Object.values<Pick<EngineRoute, "method" | "path" | "auth" | "scope" | "query">>(ENGINE_ROUTES),
  ...Object.values<ProtocolRoute>(PROTOCOL_ROUTES),
]);

type NeededScopes =
  | { readonly kind: "scopes"; readonly scopes: readonly Scope[] }
  /** No token of an end user permits the call. */
  | { readonly kind: "none_permits" }
  | { readonly kind: "unknown_path" };

/**
 * The scopes that a token needs for a call of an engine. Paths are matched as the engine matches them, and what is no route
 * of an engine is not passed on, so that a difference between both gives nobody more.
 */
export function neededScopes(method: string, path: string, query: URLSearchParams): NeededScopes {
  const verb = method === "HEAD" ? "GET" : method;
  const rows = find(path);
  const called = rows.filter((row) => row.method === verb);
  if (rows.length === 0) return { kind: "unknown_path" };
  const scopes: Scope[] = [];
  for (const row of called) {
    const needed = neededScopesOf(row, query.keys());
    if (needed === null) return { kind: "none_permits" };
    scopes.push(...needed);
  }
  return called.length === 0 ? { kind: "none_permits" } : { kind: "scopes", scopes: [...new Set(scopes)] };
}
