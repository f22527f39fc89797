import { type SessionRole, highestRole } from "../../contract/console/session-limits.ts";
import { PROTOCOL_ROUTES, type ProtocolRoute } from "../../contract/engine/protocol-routes.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../../contract/engine/routes.ts";
import { roleFor, rowsAt } from "../../contract/route-table.ts";

const find = rowsAt([
  ...Object.values<Pick<EngineRoute, "method" | "path" | "auth" | "role" | "query">>(ENGINE_ROUTES),
  ...Object.values<ProtocolRoute>(PROTOCOL_ROUTES),
]);

/**
 * The role that a session needs for a call of an engine. Paths are matched as the engine matches them. What is no route of
 * an engine needs the highest role, so that a difference between both gives nobody more.
 */
export function engineRole(method: string, path: string, query: URLSearchParams): SessionRole {
  const verb = method === "HEAD" ? "GET" : method;
  const given = Object.fromEntries(query);
  const rows = find(path).filter((row) => row.method === verb);
  const roles = rows.map((row) => (row.auth === "none" ? "viewer" : (roleFor(row, given) ?? "admin")));
  return highestRole(roles) ?? "admin";
}
