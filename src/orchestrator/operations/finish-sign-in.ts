import type { HostContext } from "../host-context.ts";
import type { IdentityProvider, ProvenClaims } from "../identity/identity-provider.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { groupsOf, nameOf, roleOfGroups } from "../rules/role-of-claims.ts";
import { type OpenedSession, insertOpened } from "./open-session.ts";
import { openPending } from "./pending-sign-in.ts";

/** A longer ID token does not fit into the address of the provider's sign-out. */
const MAX_ID_TOKEN = 3072;
const MAX_SUBJECT = 255;

interface Callback {
  /** As the browser sent it. */
  readonly query: string;
  /** The browser's cookie. */
  readonly pending: string | null;
}

/** Opens a session for the person whom the provider proves. Throws a `SignInFailure`. */
export async function finishSignIn(
  host: Pick<HostContext, "db" | "now" | "box">,
  provider: IdentityProvider,
  { query, pending }: Callback,
): Promise<OpenedSession & { readonly returnTo: string }> {
  const { issuer } = provider.settings;
  const state = new URLSearchParams(query).get("state") ?? "";
  const signIn = pending === null ? null : openPending(host, pending, { state, issuer });
  if (signIn === null) throw new SignInFailure("expired", "the browser has begun no sign-in with this state");
  const proven = await provider.finish(query, signIn);
  const role = roleOf(provider, proven);
  const { subject, claims, idToken } = proven;
  const person = {
    subject,
    name: nameOf(claims["name"] ?? claims["preferred_username"]),
    // Anybody could claim one that is not verified.
    email: claims["email_verified"] === false ? null : nameOf(claims["email"]),
    idToken: idToken.length <= MAX_ID_TOKEN ? host.box.seal(idToken) : null,
  };
  const opened = await host.db.transaction().execute((trx) => insertOpened(host, trx, { role, by: "oidc", person }));
  return { ...opened, returnTo: signIn.returnTo };
}

function roleOf({ settings: { groupClaim, groups } }: IdentityProvider, { subject, claims }: ProvenClaims) {
  if (!/^[\x20-\x7e]+$/.test(subject) || subject.length > MAX_SUBJECT)
    throw new SignInFailure("untrusted", `sub: expected 1 to ${MAX_SUBJECT} characters of ASCII`);
  const given = groupsOf(claims, groupClaim);
  if (given === null)
    throw new SignInFailure("no_role", `${groupClaim} of ${subject}: expected a text or a list, got an object`);
  const role = roleOfGroups(given, groups);
  if (role !== null) return role;
  throw new SignInFailure("no_role", `${subject} has none of the groups of ORCH_CONSOLE_OIDC_*_GROUPS`);
}
