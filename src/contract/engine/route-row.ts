import type { EngineErrorCode } from "./errors.ts";
import type { EngineResponseName } from "./responses.ts";
import { type RouteRow, roleRowsOf, rowsOf } from "../route-table.ts";

/** `control`: the daemon's own calls. For a caller without the incarnation's token these routes do not exist. */
type EngineAuthentication = "none" | "engine" | "control";
export type EngineRoute = RouteRow<EngineAuthentication, EngineResponseName, EngineErrorCode>;

const rows = (auth: EngineAuthentication) => rowsOf<EngineAuthentication, EngineResponseName, EngineErrorCode>(auth);
export const [unauthenticated, control] = [rows("none"), rows("control")];
/** Sessions of the console call these through the daemon, which checks the role. */
export const engine = roleRowsOf<EngineAuthentication, EngineResponseName, EngineErrorCode>("engine");
