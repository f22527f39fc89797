import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";
import { providerUrlProblem } from "../../identity/oidc-settings.ts";
import { SignInFailure } from "../../identity/sign-in-failure.ts";

const NAME = "sign-in";

/** Whether the identity provider of the console answers, and can do what a sign-in needs. None without a provider. */
export async function checkSignIn({ identity }: Pick<HostContext, "identity">): Promise<readonly HostCheck[]> {
  if (identity === null) return [];
  const { issuer, scopes, consoleUrl } = identity.settings;
  try {
    const {
      code_challenge_methods_supported: challenges = ["S256"],
      scopes_supported: supported = scopes.split(" "),
      end_session_endpoint: end,
    } = await identity.describe();
    if (!challenges.includes("S256"))
      return [failed(NAME, `${issuer} does not support PKCE with S256`, "use a provider that does")];
    if (providerUrlProblem(consoleUrl) !== null)
      return [
        warned(NAME, `people come back to ${consoleUrl} without TLS`, "set ORCH_PUBLIC_URL to an https:// address"),
      ];
    const unknown = scopes.split(" ").filter((scope) => !supported.includes(scope));
    if (unknown.length > 0) {
      const fix = "set ORCH_CONSOLE_OIDC_SCOPES to scopes of the provider";
      return [warned(NAME, `${issuer} does not list the scope ${unknown.join(", ")}`, fix)];
    }
    const out = end === undefined ? "has no sign-out of its own" : "signs people out too";
    return [passed(NAME, `${issuer} answers, and ${out}; it must know ${identity.callbackUrl}`)];
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const fix = `curl ${issuer.replace(/\/$/, "")}/.well-known/openid-configuration on the daemon's machine`;
    return [failed(NAME, `nobody can sign in with ${issuer}: ${error.message}`, fix)];
  }
}
