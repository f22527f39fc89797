import type { SessionRole } from "../../contract/console/session-limits.ts";
import { SETTINGS } from "../../contract/settings/settings.ts";
import type { EnvironmentReader } from "../../shared/environment.ts";
import { type OidcSettings, providerUrlProblem } from "../identity/oidc-settings.ts";

const PREFIX = "ORCH_CONSOLE_OIDC_";

/** The settings of signing in to the console by OpenID Connect. Null without an issuer. */
export function readConsoleOidc(read: EnvironmentReader, publicUrl: string | null): OidcSettings | null {
  const issuer = read.text("ORCH_CONSOLE_OIDC_ISSUER");
  const clientId = read.text("ORCH_CONSOLE_OIDC_CLIENT_ID");
  const clientSecret = read.text("ORCH_CONSOLE_OIDC_CLIENT_SECRET");
  const { values, fallback } = SETTINGS.ORCH_CONSOLE_OIDC_CLIENT_AUTH.value;
  const clientAuth = read.choice("ORCH_CONSOLE_OIDC_CLIENT_AUTH", values, fallback);
  const scopes = read.text("ORCH_CONSOLE_OIDC_SCOPES", SETTINGS.ORCH_CONSOLE_OIDC_SCOPES.value.fallback);
  const groupClaim = read.text("ORCH_CONSOLE_OIDC_GROUP_CLAIM", SETTINGS.ORCH_CONSOLE_OIDC_GROUP_CLAIM.value.fallback);
  const groups: OidcSettings["groups"] = {
    viewer: readGroups(read, "viewer"),
    operator: readGroups(read, "operator"),
    admin: readGroups(read, "admin"),
  };
  const hasGroups = Object.values(groups).some((names) => names.length > 0);
  if (issuer === undefined) {
    if (clientId !== undefined || clientSecret !== undefined || hasGroups)
      read.problem(`${PREFIX}ISSUER: required, because other settings of ${PREFIX}* are set`);
    return null;
  }
  const problem = issuerProblem(issuer);
  if (problem !== null) read.problem(`${PREFIX}ISSUER: ${problem}, got "${issuer}"`);
  if (clientId === undefined) read.problem(`${PREFIX}CLIENT_ID: required with ${PREFIX}ISSUER`);
  if (clientSecret === undefined) read.problem(`${PREFIX}CLIENT_SECRET: required with ${PREFIX}ISSUER`);
  if (!scopes.split(" ").includes("openid"))
    read.problem(`${PREFIX}SCOPES: expected scopes with "openid", separated by spaces, got "${scopes}"`);
  if (!hasGroups)
    read.problem(`${PREFIX}ADMIN_GROUPS: expected groups here, in ${PREFIX}OPERATOR_GROUPS or ${PREFIX}VIEWER_GROUPS`);
  if (publicUrl === null)
    read.problem(`ORCH_PUBLIC_URL: required with ${PREFIX}ISSUER, whose people come back to this address`);
  return {
    issuer,
    clientId: clientId ?? "",
    clientSecret: clientSecret ?? "",
    clientAuth,
    scopes,
    groupClaim,
    groups,
    consoleUrl: `${publicUrl}/console/`,
  };
}

function issuerProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url !== null && url.search + url.hash !== "") return "expected an address without query and fragment";
  return providerUrlProblem(text);
}

/** Separated by commas. A comma in a name, as in a distinguished name, is `%2C`. */
function readGroups(read: EnvironmentReader, role: SessionRole): readonly string[] {
  const name = `${PREFIX}${role.toUpperCase()}_GROUPS`;
  try {
    return read
      .text(name, "")
      .split(",")
      .map((group) => group.trim())
      .filter(Boolean)
      .map(decodeURIComponent);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    read.problem(`${name}: expected names separated by commas, percent-encoded`);
    return [];
  }
}
