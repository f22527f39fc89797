import { ENGINE_STATES } from "../records.ts";
import type { OrchestratorErrorCode } from "../errors.ts";
import type { OrchestratorResponseName } from "../responses.ts";
import { type Parameter, type RouteRow, events, json, roleRowsOf, rowsOf } from "../../route-table.ts";

/**
 * `platform`, `admin` and `local` take a session of the row's role instead of their key. `admin_key` does not. `local`: callers on the
 * daemon's own host need no key, others the admin key. `session`: a session alone. `sign_in` and `webhook`: the handler
 * checks the admin key or link, and the signature, of the body.
 */
type Authentication = "none" | "platform" | "admin" | "admin_key" | "local" | "session" | "sign_in" | "webhook";
export type Route = RouteRow<Authentication, OrchestratorResponseName, OrchestratorErrorCode>;

/** The body limit of calls with few fields. */
export const SMALL_BODY_BYTES = 4096;
/** The body limit for 16 KiB of metadata, even fully escaped, or a policy with its engine settings. */
export const LARGE_BODY_BYTES = 64 * 1024;

export const maxBodyBytes = (route: Route): number => route.maxBodyBytes ?? SMALL_BODY_BYTES;

export const STATE = {
  kind: "choice",
  values: ENGINE_STATES,
  fallback: null,
  summary: "Engines in this state",
} as const satisfies Parameter;
export const IDEMPOTENCY = {
  "Idempotency-Key": {
    kind: "text",
    maxLength: 255,
    summary: "The same key and body within 24 h get the first response again, without its secret",
  },
} as const satisfies Record<string, Parameter>;
export const LAST_EVENT = {
  "Last-Event-ID": { kind: "text", summary: "With `Accept: text/event-stream`: the last event that was received" },
} as const satisfies Record<string, Parameter>;

export const HISTORY = [json("EventPage"), events("EventFrame")] as const;

const rows = (auth: Authentication) => rowsOf<Authentication, OrchestratorResponseName, OrchestratorErrorCode>(auth);
const roleRows = (auth: Authentication) =>
  roleRowsOf<Authentication, OrchestratorResponseName, OrchestratorErrorCode>(auth);
export const [platform, admin] = [roleRows("platform"), roleRows("admin")];
export const [local, session] = [roleRows("local"), roleRows("session")];
export const [open, adminKey] = [rows("none"), rows("admin_key")];
export const [signIn, webhook] = [rows("sign_in"), rows("webhook")];

/** Whether products call the route. Other routes are recorded with the actor `admin`. */
export const isProducts = ({ auth }: Pick<Route, "auth">): boolean => auth === "platform" || auth === "webhook";
