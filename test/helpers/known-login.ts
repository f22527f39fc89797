import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { startAuthorizationServer } from "./authorization-server.ts";
import { startGuardedToolServer } from "./guarded-tool-server.ts";
import { signInBy } from "./tool-logins.ts";

/** Kinds of records whose ids are what was issued. */
const ISSUED = ["AccessToken", "RefreshToken", "AuthorizationCode"] as const;

export interface KnownLogin {
  /** Of the catalog. */
  readonly mcpServers: object;
  /** What the policy must have in `private_hosts`. */
  readonly privateHosts: readonly string[];
  signIn(link: string): Promise<void>;
  /** The next use of the login is a refresh. */
  endAccessTokens(): void;
  /** The last one that the tool server was sent. */
  accessToken(): string;
  /** How often the login was renewed. */
  refreshes(): number;
  /** Everything that was issued and sent so far and must stay hidden, by name. */
  secrets(): Readonly<Record<string, string>>;
}

/** A tool server with a login whose client has a secret of its own, and an authorization server that tells all of it. */
export async function startKnownLogin(t: Test): Promise<KnownLogin> {
  const authorization = await startAuthorizationServer(t);
  const tools = await startGuardedToolServer(t, authorization);
  const secrets = new Map<string, string>();
  let refreshes = 0;
  const readForm = async (request: IncomingMessage) => {
    const form = new URLSearchParams(await text(request));
    const verifier = form.get("code_verifier");
    if (verifier !== null) secrets.set("the PKCE verifier", verifier);
    if (form.get("grant_type") === "refresh_token") refreshes++;
    return Object.fromEntries(form);
  };
  authorization.before = async (request) => {
    const asked = request as IncomingMessage & { body?: object };
    if (request.url === "/token") asked.body = await readForm(request);
    // RFC 7591: the server decides that its clients have secrets.
    if (request.url === "/reg")
      asked.body = { ...JSON.parse(await text(request)), token_endpoint_auth_method: "client_secret_basic" };
  };
  const known = () => {
    for (const [name, { client_secret: secret }] of authorization.records) {
      const [kind = "", id = ""] = name.split(" ");
      if (ISSUED.some((one) => one === kind)) secrets.set(`${kind} ${id.slice(0, 4)}…`, id);
      if (kind === "Client" && typeof secret === "string") secrets.set("the secret of the registered client", secret);
    }
    return Object.fromEntries(secrets);
  };
  return {
    mcpServers: { guarded: { url: tools.url, login: "oauth", permissions: { "*": "allow" } } },
    privateHosts: ["127.0.0.1"],
    async signIn(link) {
      const page = await signInBy(link, "alice@example.com");
      if (!page.text.includes("Signed in")) throw new Error(page.text);
      secrets.set("the login's link", new URL(link).searchParams.get("login") ?? "");
    },
    endAccessTokens() {
      known();
      authorization.endAccessTokens();
    },
    accessToken: () => tools.tokens.at(-1)?.slice("Bearer ".length) ?? "",
    refreshes: () => refreshes,
    secrets: known,
  };
}
