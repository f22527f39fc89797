import { type SettingRow, TEXT } from "./setting-row.ts";

const groupsOf = (role: string) =>
  ({
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description: `Groups whose people are \`${role}\` in the console, separated by commas; a comma in a name is \`%2C\``,
  }) as const;

/** Settings of signing in to the console with an identity provider. */
export const CONSOLE_SETTINGS = {
  ORCH_CONSOLE_OIDC_ISSUER: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "The issuer of the identity provider with which people [sign in to the console](console.md#sign-in-with-an-identity-provider), such as `https://login.example.com/realms/staff`. `http://` is for this machine alone",
  },
  ORCH_CONSOLE_OIDC_CLIENT_ID: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description: "The console's client id at the identity provider",
  },
  ORCH_CONSOLE_OIDC_CLIENT_SECRET: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    secret: true,
    description: "The client's secret",
  },
  ORCH_CONSOLE_OIDC_CLIENT_AUTH: {
    scope: "daemon",
    value: {
      kind: "choice",
      values: ["client_secret_basic", "client_secret_post"],
      fallback: "client_secret_basic",
    },
    description: "How the client's secret is sent: in a header, or in the body",
  },
  ORCH_CONSOLE_OIDC_SCOPES: {
    scope: "daemon",
    value: { kind: "text", fallback: "openid profile email" },
    description:
      "The scopes that are asked for, separated by spaces. Some providers send groups only with one of their own",
  },
  ORCH_CONSOLE_OIDC_GROUP_CLAIM: {
    scope: "daemon",
    value: { kind: "text", fallback: "groups" },
    description: "The claim that has a person's groups: a text or a list of texts",
  },
  ORCH_CONSOLE_OIDC_VIEWER_GROUPS: groupsOf("viewer"),
  ORCH_CONSOLE_OIDC_OPERATOR_GROUPS: groupsOf("operator"),
  ORCH_CONSOLE_OIDC_ADMIN_GROUPS: groupsOf("admin"),
} as const satisfies Record<string, SettingRow>;
