import type { EngineRoute } from "./route-row.ts";
import type { Scope } from "./scopes.ts";

/** The scopes that a token needs for a route with these query parameters. Null: no token permits the call. */
export function neededScopesOf(
  { auth, scope, query = {} }: Pick<EngineRoute, "auth" | "scope" | "query">,
  parameters: Iterable<string>,
): readonly Scope[] | null {
  if (auth === "none") return [];
  if (scope === undefined) return null;
  const flags = [...parameters].flatMap((name) => {
    const parameter = query[name];
    return parameter?.kind === "flag" && parameter.scope !== undefined ? [parameter.scope] : [];
  });
  return [scope, ...flags];
}
