import type { IncomingMessage } from "node:http";
import { CONSOLE_HEADER } from "../../contract/console/session-limits.ts";
import type { OrchestratorErrorCode } from "../../contract/orchestrator/errors.ts";
import type { HostContext } from "../host-context.ts";
import type { Session } from "../status/sessions.ts";
import type { OriginCheck } from "./origin-check.ts";
import type { SessionCookie } from "./session-cookie.ts";

export interface SessionParts {
  readonly host: Pick<HostContext, "sessions">;
  readonly site: OriginCheck;
  readonly cookie: SessionCookie;
}

type SessionVerdict =
  | {
      readonly kind: "admitted";
      readonly session: Session;
      /** Whether the session is still open, for streamed responses. */
      readonly isOpen: () => Promise<boolean>;
    }
  | {
      readonly kind: "refused";
      readonly code: Extract<OrchestratorErrorCode, "INVALID_REQUEST" | "INVALID_SESSION" | "READ_ONLY_SESSION">;
      readonly message: string;
    };

/** Whether a call asks for authentication by its session cookie. A cookie without the header never authenticates. */
export const claimsSession = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers[CONSOLE_HEADER.toLowerCase()] !== undefined;

/** Authenticates a call by its session. `changes`: whether the call may change something. */
export async function admitSession(
  { host, site, cookie }: SessionParts,
  request: IncomingMessage,
  { changes }: { readonly changes: boolean },
): Promise<SessionVerdict> {
  const problem = site.pageProblem(request);
  if (problem !== null) return { kind: "refused", code: "INVALID_REQUEST", message: problem };
  const token = claimsSession(request) ? cookie.read(request.headers) : null;
  const session = token === null ? null : await host.sessions.use(token);
  if (token === null || session === null)
    return { kind: "refused", code: "INVALID_SESSION", message: "the session is unknown or has ended; sign in again" };
  if (changes && session.role === "read_only")
    return { kind: "refused", code: "READ_ONLY_SESSION", message: "this session may only read" };
  return { kind: "admitted", session, isOpen: async () => (await host.sessions.find(token)) !== null };
}
