import type { HostContext } from "../host-context.ts";
import type { Session } from "../status/sessions.ts";
import { endSession } from "./end-session.ts";

/** Ends a session. Returns where the browser ends the identity provider's session too, or null. */
export async function signOut(
  host: Pick<HostContext, "db" | "sessions" | "identity" | "box">,
  session: Session,
): Promise<string | null> {
  await endSession(host, session.id);
  if (host.identity === null || session.opened_by !== "oidc") return null;
  return host.identity.endSessionUrl(session.id_token === null ? null : host.box.open(session.id_token));
}
