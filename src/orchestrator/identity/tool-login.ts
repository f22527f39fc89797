import type { Configuration, CustomFetch, TokenEndpointResponse } from "openid-client";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { LoginClient } from "./login-client.ts";
import { SignInFailure, asFailure } from "./sign-in-failure.ts";

const library = () => import("openid-client");

/** Where tokens for a tool server come from. */
export interface TokenSource {
  readonly server: AuthorizationServer;
  readonly client: LoginClient;
  /** The resource that they are for. */
  readonly resource: string;
}

/** What must be known when the browser comes back. */
export interface LoginChecks {
  readonly state: string;
  readonly verifier: string;
}

export interface Tokens {
  readonly accessToken: string;
  /** Null: the server gave none, and the login ends with the access token. */
  readonly refreshToken: string | null;
  /** Seconds; null when the server does not say. */
  readonly expiresInS: number | null;
  readonly scope: string | null;
}

/** The logins of end users at the authorization servers of tool servers. Its methods throw a `SignInFailure`. */
export class ToolLogin {
  readonly #source: TokenSource;
  readonly #fetch: CustomFetch;

  constructor(source: TokenSource, fetch: CustomFetch) {
    this.#source = source;
    this.#fetch = fetch;
  }

  /** Where a browser signs in. */
  async begin(
    callbackUrl: string,
    scopes: readonly string[],
  ): Promise<{ readonly url: string; readonly checks: LoginChecks }> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...random } = await library();
    const { server, resource } = this.#source;
    const checks = { state: random.randomState(), verifier: random.randomPKCECodeVerifier() };
    const isLasting = server.scopes_supported?.includes("offline_access") === true;
    const asked = [...new Set([...scopes, ...(isLasting ? ["offline_access"] : [])])].join(" ");
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: callbackUrl,
      state: checks.state,
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
      resource,
      ...(asked !== "" && { scope: asked }),
      // Servers of OpenID Connect give lasting tokens only after a consent.
      ...(isLasting && { prompt: "consent" }),
    });
    return { url: url.href, checks };
  }

  /** Exchanges the code of a callback. `query`: as the browser sent it. Checks the state, and the issuer (RFC 9207). */
  async finish(callbackUrl: string, query: string, { state, verifier }: LoginChecks): Promise<Tokens> {
    const { authorizationCodeGrant } = await library();
    const config = await this.#configuration();
    return this.#tokens(() =>
      authorizationCodeGrant(
        config,
        new URL(`${callbackUrl}?${query}`),
        { expectedState: state, pkceCodeVerifier: verifier },
        { resource: this.#source.resource },
      ),
    );
  }

  /** New tokens for a refresh token, which the server may have made invalid with its answer. */
  async refresh(refreshToken: string): Promise<Tokens> {
    const { refreshTokenGrant } = await library();
    const config = await this.#configuration();
    return this.#tokens(() => refreshTokenGrant(config, refreshToken, { resource: this.#source.resource }));
  }

  /** Ends tokens at the server (RFC 7009). False when it has no way to. */
  async revoke({ refreshToken, accessToken }: Pick<Tokens, "refreshToken" | "accessToken">): Promise<boolean> {
    if (this.#source.server.revocation_endpoint === undefined) return false;
    const { tokenRevocation } = await library();
    const config = await this.#configuration();
    try {
      // With the refresh token the server ends what came from it.
      if (refreshToken !== null) await tokenRevocation(config, refreshToken, { token_type_hint: "refresh_token" });
      await tokenRevocation(config, accessToken, { token_type_hint: "access_token" });
    } catch (error) {
      throw asFailure(error);
    }
    return true;
  }

  async #tokens(ask: () => Promise<TokenEndpointResponse>): Promise<Tokens> {
    const answer = await ask().catch((error: unknown) => {
      throw asFailure(error);
    });
    const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: expiresInS = null } = answer;
    if (answer.token_type.toLowerCase() !== "bearer")
      throw new SignInFailure("untrusted", "the server gave a token of another type than Bearer");
    if (!/^[\x21-\x7e]{1,8192}$/.test(accessToken))
      throw new SignInFailure("untrusted", "the server gave a token that is no header's value");
    return { accessToken, refreshToken, expiresInS, scope: answer.scope ?? null };
  }

  async #configuration(): Promise<Configuration> {
    const oauth = await library();
    const { server, client } = this.#source;
    const { id, secret, auth } = client;
    const authentication =
      secret === null || auth === "none"
        ? oauth.None()
        : auth === "client_secret_basic"
          ? oauth.ClientSecretBasic(secret)
          : oauth.ClientSecretPost(secret);
    const config = new oauth.Configuration(server, id, undefined, authentication);
    config[oauth.customFetch] = this.#fetch;
    // The `fetch` decides which addresses may be called without TLS.
    oauth.allowInsecureRequests(config);
    return config;
  }
}
