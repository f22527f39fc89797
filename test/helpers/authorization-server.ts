import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type AdapterPayload, type Configuration, Provider } from "oidc-provider";
import type { Test } from "tap";
import { freePort } from "./daemon.ts";
import { keptRecords } from "./kept-records.ts";

const FORM = `<form method="post"><label>Who <input name="who"></label><button>Continue</button></form>`;

export interface AuthorizationServer {
  readonly issuer: string;
  /** What holds for an access token; null for an unknown one. */
  readonly lookUp: (token: string) => Promise<{
    readonly clientId: string;
    readonly audience: string;
    readonly scopes: string[];
    readonly expiresAt: number;
    readonly subject: string;
  } | null>;
  /** The paths that were called, without their queries. */
  readonly called: string[];
  /** Ends all that was granted. */
  readonly endGrants: () => Promise<void>;
  /** What it has issued: the payloads by kind and id, such as `AccessToken <the token>`. */
  readonly records: ReadonlyMap<string, AdapterPayload>;
  /** Ends the access tokens alone, before their time. */
  readonly endAccessTokens: () => void;
  /** Runs before a call is answered, such as to hold it. */
  before: (request: IncomingMessage) => Promise<void>;
  readonly port: number;
}

interface Options {
  readonly port?: number;
  readonly host?: string;
  readonly accessTokenS?: number;
  /** How long a refresh token that was used counts again. Default: not at all. */
  readonly leewayMs?: number;
  readonly change?: (configuration: Configuration) => Configuration;
}

/**
 * A real authorization server: dynamic registration, resource indicators, revocation, and refresh tokens that are valid
 * once. Who is typed into its login page is signed in; `nobody` refuses.
 */
export async function startAuthorizationServer(
  t: Test,
  { port: given, host = "127.0.0.1", accessTokenS = 3600, leewayMs = 0, change = (same) => same }: Options = {},
): Promise<AuthorizationServer> {
  const port = given ?? (await freePort());
  const issuer = `http://${host}:${port}`;
  const grants = new Set<string>();
  const records = new Map<string, AdapterPayload>();
  const configuration: Configuration = {
    adapter: keptRecords(records),
    clients: [],
    scopes: ["openid", "offline_access"],
    clientDefaults: { grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none" },
    cookies: { keys: ["a key of the test"] },
    rotateRefreshToken: true,
    ttl: { AccessToken: accessTokenS, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: "tools",
          audience: resource,
          accessTokenTTL: accessTokenS,
          accessTokenFormat: "opaque",
        }),
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: async ({ oidc: { client, session, provider, params } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope("openid offline_access");
      const resource = params?.["resource"];
      if (typeof resource === "string") grant.addResourceScope(resource, "tools");
      grants.add(await grant.save());
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = "text";
      ctx.body = JSON.stringify(out);
    },
  };
  const silent = [console.warn, console.info] as const;
  console.warn = () => undefined;
  console.info = () => undefined;
  const provider = new Provider(issuer, change(configuration));
  [console.warn, console.info] = silent;
  if (leewayMs > 0) {
    // oxlint-disable-next-line typescript/unbound-method -- Called with its `this` below.
    const { consume } = provider.RefreshToken.prototype;
    provider.RefreshToken.prototype.consume = async function consumeLater() {
      setTimeout(() => void consume.call(this), leewayMs).unref();
    };
  }
  const callback = provider.callback();
  const logIn = async (request: IncomingMessage, response: ServerResponse) => {
    const who = new URLSearchParams(await text(request)).get("who") ?? "";
    const result = who === "nobody" ? { error: "access_denied" } : { login: { accountId: who }, consent: {} };
    await provider.interactionFinished(request, response, result);
  };
  const called: string[] = [];
  const one: AuthorizationServer = {
    issuer,
    port,
    called,
    records,
    endAccessTokens: () => {
      for (const name of records.keys()) if (name.startsWith("AccessToken ")) records.delete(name);
    },
    before: async () => undefined,
    endGrants: async () => {
      for (const id of grants) await (await provider.Grant.find(id))?.destroy();
    },
    lookUp: async (token) => {
      const found = await provider.AccessToken.find(token);
      if (found === undefined || found.isExpired) return null;
      if (!(await provider.Grant.find(found.grantId ?? ""))) return null;
      const { clientId = "", aud, scopes, exp = 0, accountId } = found;
      return { clientId, audience: String(aud), scopes: [...scopes], expiresAt: exp, subject: accountId };
    },
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    called.push(path);
    const answer = async () => {
      await one.before(request);
      if (!path.startsWith("/login/")) await callback(request, response);
      else if (request.method === "POST") await logIn(request, response);
      else response.setHeader("content-type", "text/html").end(FORM);
    };
    answer().catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  t.teardown(async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  return one;
}
