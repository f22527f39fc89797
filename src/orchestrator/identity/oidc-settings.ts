import type { SessionRole } from "../../contract/console/session-limits.ts";
import type { SETTINGS } from "../../contract/settings/settings.ts";

/** How people sign in to the console by OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuth: (typeof SETTINGS)["ORCH_CONSOLE_OIDC_CLIENT_AUTH"]["value"]["values"][number];
  readonly scopes: string;
  /** The claim that has a person's groups. */
  readonly groupClaim: string;
  readonly groups: Readonly<Record<SessionRole, readonly string[]>>;
  /** The console's address, with a final slash: where people come back to. */
  readonly consoleUrl: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Why an address of the provider is not called, or null. What is sent there is secret. */
export function providerUrlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "expected https://…";
  if (url.username + url.password !== "") return "expected an address without user and password";
  return url.protocol === "https:" || LOOPBACK.test(url.hostname)
    ? null
    : "expected https://…: http:// is for this machine alone";
}
