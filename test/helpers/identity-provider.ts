import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Configuration, Provider } from "oidc-provider";
import type { Test } from "tap";
import { freePort } from "./daemon.ts";

const FORM = `<form method="post"><label>Who <input name="who"></label><button>Continue</button></form>`;

export const CLIENT = { id: "console", secret: "the-console-client-secret" } as const;

type Person = Readonly<Record<string, unknown>>;

export interface Idp {
  readonly issuer: string;
  /** The people by their subjects, with their claims. They can be changed. */
  readonly people: Record<string, Person>;
  /** Settings of a daemon whose console is at this address. */
  env(publicUrl: string): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** A real identity provider with a small login page: who is typed is signed in. `idToken`: claims are in the ID token. */
export async function startIdp(
  t: Test,
  {
    consoleUrl,
    people,
    idToken = false,
  }: { readonly consoleUrl: string; readonly people: Record<string, Person>; readonly idToken?: boolean },
): Promise<Idp> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${consoleUrl}sign-in/callback`],
        post_logout_redirect_uris: [consoleUrl],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email", "email_verified"] },
    conformIdTokenClaims: !idToken,
    cookies: { keys: ["a key of the test"] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (ctx, form) => {
          ctx.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
        },
      },
    },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    findAccount: (_, id) =>
      people[id] === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = "text";
      ctx.body = JSON.stringify(out);
    },
  };
  const silent = console.warn;
  console.warn = () => undefined;
  const provider = new Provider(issuer, configuration);
  console.warn = silent;
  const callback = provider.callback();
  const logIn = async (request: IncomingMessage, response: ServerResponse) => {
    const who = new URLSearchParams(await text(request)).get("who") ?? "";
    const result = who === "nobody" ? { error: "access_denied" } : { login: { accountId: who } };
    await provider.interactionFinished(request, response, result);
  };
  const server = createServer((request, response) => {
    const isLogin = request.url?.startsWith("/login/") === true;
    if (!isLogin) void callback(request, response);
    else if (request.method === "POST") void logIn(request, response);
    else response.setHeader("content-type", "text/html").end(FORM);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(stop);
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    stop,
    env: (publicUrl) => ({
      ORCH_PUBLIC_URL: publicUrl,
      ORCH_CONSOLE_OIDC_ISSUER: issuer,
      ORCH_CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
      ORCH_CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      ORCH_CONSOLE_OIDC_VIEWER_GROUPS: "support",
      ORCH_CONSOLE_OIDC_OPERATOR_GROUPS: "on-call,cn=ops%2Cdc=example",
      ORCH_CONSOLE_OIDC_ADMIN_GROUPS: "platform",
    }),
  };
}

/** A browser's cookies and redirects, without scripts. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The cookies that are sent to an address, by name. */
  of(url: string): Map<string, string> {
    const { host } = new URL(url);
    const own = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, own);
    return own;
  }

  /** One request; a redirect is not followed. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const cookies = this.of(url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(init.headers as object), ...(cookie !== "" && { cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  /** Follows redirects until an address begins with `until`, or there is none. Returns the last address. */
  async follow(url: string, until: string): Promise<string> {
    let at = url;
    for (let count = 0; count < 12; count++) {
      if (count > 0 && at.startsWith(until)) return at;
      const answer = await this.fetch(at);
      await answer.body?.cancel();
      const location = answer.headers.get("location");
      if (location === null) return at;
      at = new URL(location, at).href;
    }
    throw new Error(`too many redirects: ${at}`);
  }

  /** Signs in at the provider's page, until the callback's address, which is not opened. */
  async signInAs(who: string, begin: string, callback: string): Promise<string> {
    const login = await this.follow(begin, callback);
    if (login.startsWith(callback)) return login;
    const answer = await this.fetch(login, { method: "POST", body: new URLSearchParams({ who }) });
    return this.follow(new URL(answer.headers.get("location") ?? "", login).href, callback);
  }
}
