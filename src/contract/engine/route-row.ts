import type { Scope } from "./scopes.ts";
import type { EngineErrorCode } from "./errors.ts";
import type { EngineResponseName } from "./responses.ts";
import { type RouteRow, roleRowsOf, rowsOf } from "../route-table.ts";

/** `control`: the daemon's own calls. For a caller without the incarnation's token these routes do not exist. */
type EngineAuthentication = "none" | "engine" | "control";
export type EngineRoute = RouteRow<EngineAuthentication, EngineResponseName, EngineErrorCode>;

const rows = (auth: EngineAuthentication) => rowsOf<EngineAuthentication, EngineResponseName, EngineErrorCode>(auth);
export const [unauthenticated, control] = [rows("none"), rows("control")];
const roleRows = roleRowsOf<EngineAuthentication, EngineResponseName, EngineErrorCode>("engine");
/**
 * Sessions of the console and end users call these through the daemon, which checks the role and the scope. `scope: null`:
 * no token of an end user permits the call.
 */
export const engine = (
  place: Parameters<typeof roleRows>[0],
  summary: string,
  { scope, ...rest }: Parameters<typeof roleRows>[2] & { readonly scope: Scope | null },
): EngineRoute => ({ ...roleRows(place, summary, rest), ...(scope !== null && { scope }) });
