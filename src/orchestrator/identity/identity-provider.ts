import type { Configuration, DiscoveryRequestOptions } from "openid-client";
import type { OidcSettings } from "./oidc-settings.ts";
import { providerFetch } from "./provider-fetch.ts";
import { SignInFailure, asFailure } from "./sign-in-failure.ts";

const library = () => import("openid-client");

/** How long the provider's own description is used. Keys are read again by the library when a token names another one. */
const DESCRIPTION_MS = 10 * 60_000;
const CALL_MS = 10_000;
/** What a browser keeps between the redirect and the callback. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider says of a person: verified claims. */
export interface ProvenClaims {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly idToken: string;
}

/** The identity provider of the console. It is called only when somebody signs in or out, or by `orchctl doctor`. */
export class IdentityProvider {
  readonly settings: OidcSettings;
  readonly callbackUrl: string;
  readonly #callMs: number;
  #described: { readonly config: Promise<Configuration>; readonly until: number } | null = null;

  constructor(settings: OidcSettings, { callMs = CALL_MS }: { readonly callMs?: number } = {}) {
    this.settings = settings;
    this.#callMs = callMs;
    this.callbackUrl = `${settings.consoleUrl}sign-in/callback`;
  }

  /** Where a browser signs in, and what must be known when it comes back. */
  async begin(): Promise<{ readonly url: URL; readonly checks: SignInChecks }> {
    const config = await this.#configuration();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...random } = await library();
    const checks = {
      state: random.randomState(),
      nonce: random.randomNonce(),
      verifier: random.randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(config, {
      redirect_uri: this.callbackUrl,
      scope: this.settings.scopes,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
    });
    return { url, checks };
  }

  /** Exchanges the code of a callback for claims of the person. `query`: as the browser sent it. */
  async finish(query: string, { state, nonce, verifier }: SignInChecks): Promise<ProvenClaims> {
    const config = await this.#configuration();
    const { authorizationCodeGrant, fetchUserInfo } = await library();
    try {
      const tokens = await authorizationCodeGrant(config, new URL(`${this.callbackUrl}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined)
        throw new SignInFailure("untrusted", "the provider sent no ID token");
      const isComplete = claims[this.settings.groupClaim] !== undefined;
      const more =
        isComplete || config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await fetchUserInfo(config, tokens.access_token, claims.sub);
      return { subject: claims.sub, claims: { ...claims, ...more }, idToken: tokens.id_token };
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** Where a browser ends the provider's own session. Null when the provider has no such page, or does not answer. */
  async endSessionUrl(idToken: string | null): Promise<string | null> {
    try {
      const config = await this.#configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const { buildEndSessionUrl } = await library();
      return buildEndSessionUrl(config, {
        post_logout_redirect_uri: this.settings.consoleUrl,
        ...(idToken !== null && { id_token_hint: idToken }),
      }).href;
    } catch (error) {
      if (error instanceof SignInFailure) return null;
      throw error;
    }
  }

  /** Reads the provider's description. Throws a {@link SignInFailure}. */
  async describe() {
    this.#described = null;
    return (await this.#configuration()).serverMetadata();
  }

  #configuration(): Promise<Configuration> {
    const now = performance.now();
    if (this.#described !== null && now < this.#described.until) return this.#described.config;
    const described = { config: discover(this.settings, this.#callMs), until: now + DESCRIPTION_MS };
    this.#described = described;
    // A failure is not kept.
    described.config.catch(() => {
      if (this.#described === described) this.#described = null;
    });
    return described.config;
  }
}

async function discover(
  { issuer, clientId, clientSecret, clientAuth }: OidcSettings,
  callMs: number,
): Promise<Configuration> {
  const { ClientSecretBasic, ClientSecretPost, customFetch, discovery, ...more } = await library();
  const auth = clientAuth === "client_secret_basic" ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret);
  const options: DiscoveryRequestOptions = {
    timeout: callMs / 1000,
    // `providerFetch` decides which addresses may be called without TLS.
    execute: [more.enableNonRepudiationChecks, more.allowInsecureRequests],
    [customFetch]: providerFetch(callMs),
  };
  try {
    const config = await discovery(new URL(issuer), clientId, undefined, auth, options);
    // The library accepts issuers of some providers that stand for many.
    const found = config.serverMetadata().issuer;
    if (new URL(found).href !== new URL(issuer).href)
      throw new SignInFailure("untrusted", `the provider calls itself ${found}, expected ${issuer}`);
    return config;
  } catch (error) {
    throw asFailure(error);
  }
}
