import type { IncomingMessage } from "node:http";
import { CONSOLE_HEADER, type SessionRole, includesRole } from "../../contract/console/session-limits.ts";
import type { OrchestratorErrorCode } from "../../contract/orchestrator/errors.ts";
import type { HostContext } from "../host-context.ts";
import type { Session } from "../status/sessions.ts";
import type { OriginCheck } from "./origin-check.ts";
import type { ConsoleCookie } from "./console-cookie.ts";

export interface SessionParts {
  readonly host: Pick<HostContext, "sessions">;
  readonly site: OriginCheck;
  readonly cookie: ConsoleCookie;
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
      readonly code: Extract<OrchestratorErrorCode, "INVALID_REQUEST" | "INVALID_SESSION" | "INSUFFICIENT_ROLE">;
      readonly message: string;
    };

/** Whether a call asks for authentication by its session cookie. A cookie without the header never authenticates. */
export const claimsSession = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers[CONSOLE_HEADER.toLowerCase()] !== undefined;

/** Authenticates a call by its session. `role`: the one that the call needs. */
export async function admitSession(
  { host, site, cookie }: SessionParts,
  request: IncomingMessage,
  { role }: { readonly role: SessionRole },
): Promise<SessionVerdict> {
  const problem = site.pageProblem(request);
  if (problem !== null) return { kind: "refused", code: "INVALID_REQUEST", message: problem };
  const token = claimsSession(request) ? cookie.read(request.headers) : null;
  const session = token === null ? null : await host.sessions.use(token);
  if (token === null || session === null)
    return { kind: "refused", code: "INVALID_SESSION", message: "the session is unknown or has ended; sign in again" };
  if (!includesRole(session.role, role)) {
    const message = `the call needs the role ${role}, and this session has the role ${session.role}`;
    return { kind: "refused", code: "INSUFFICIENT_ROLE", message };
  }
  return { kind: "admitted", session, isOpen: async () => (await host.sessions.find(token)) !== null };
}
