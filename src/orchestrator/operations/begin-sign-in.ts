import { SESSION_LIMITS } from "../../contract/console/session-limits.ts";
import type { HostContext } from "../host-context.ts";
import type { IdentityProvider } from "../identity/identity-provider.ts";
import { type PendingSignIn, isConsolePath, sealPending } from "./pending-sign-in.ts";

/** Begins a sign-in with the identity provider. `pending` is for the browser's cookie. Throws a `SignInFailure`. */
export async function beginSignIn(
  host: Pick<HostContext, "box" | "now">,
  provider: IdentityProvider,
  returnTo: string,
): Promise<{ readonly url: string; readonly pending: string }> {
  const { url, checks } = await provider.begin();
  const signIn: PendingSignIn = {
    ...checks,
    issuer: provider.settings.issuer,
    returnTo: isConsolePath(returnTo) ? returnTo : "/",
    endsAt: host.now() + SESSION_LIMITS.signInS * 1000,
  };
  return { url: url.href, pending: sealPending(host, signIn) };
}
