import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import type { Clock } from "../../shared/clock.ts";
import { lazily } from "../../shared/lazily.ts";
import { callOutside } from "../outbound/call-outside.ts";
import type { ProductIssuer } from "../store/end-users.ts";

/** How often an unknown key id leads to a call. */
const RELOAD_MS = 60_000;
/** How long a provider without known keys is left alone after a failure: anyone can send tokens that name it. */
const FAILED_MS = 5000;
const FRESH_MS = 10 * 60_000;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 128 * 1024;
const MAX_ISSUERS = 1000;
const jose = lazily(() => import("jose"));

interface Published {
  readonly set: Promise<JWTVerifyGetKey>;
  readonly loadedAt: number;
}

/** The keys of products' identity providers, cached by their address. */
export class PublishedKeys {
  readonly #now: Clock;
  readonly #published = new Map<string, Published>();
  /** When the keys of an address could last not be read. */
  readonly #failedAt = new Map<string, number>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** How the key of a token is found. An unknown one is looked for again, at most once a minute. */
  async of(issuer: ProductIssuer): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet, errors } = await jose();
    const { public_keys: keys, jwks_url: url } = issuer;
    if (url === undefined) return createLocalJWKSet({ keys: [...(keys ?? [])] });
    return async (header, token) => {
      const known = await this.#keysAt(url, issuer, FRESH_MS);
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await this.#keysAt(url, issuer, RELOAD_MS))(header, token);
      }
    };
  }

  /** Shared by all calls that wait for it. Rejects with an error of jose, so that a token is refused. */
  #keysAt(url: string, { privateHosts }: ProductIssuer, maxAgeMs: number): Promise<JWTVerifyGetKey> {
    const known = this.#published.get(url);
    if (known !== undefined && this.#now() - known.loadedAt < maxAgeMs) return known.set;
    if (this.#published.size >= MAX_ISSUERS) this.#published.clear();
    const failedAt = this.#failedAt.get(url) ?? -Infinity;
    const set = this.#now() - failedAt < FAILED_MS ? refuseCall(url) : fetchKeys(url, privateHosts);
    this.#published.set(url, { set, loadedAt: this.#now() });
    // A provider that is away is asked again soon, and an older set goes on until then.
    set.catch(() => {
      if (this.#published.get(url)?.set !== set) return;
      if (this.#now() - failedAt >= FAILED_MS) this.#noteFailure(url);
      if (known === undefined) this.#published.delete(url);
      else this.#published.set(url, { ...known, loadedAt: this.#now() - FRESH_MS + RELOAD_MS });
    });
    return known === undefined ? set : set.catch(() => known.set);
  }

  #noteFailure(url: string): void {
    if (this.#failedAt.size >= MAX_ISSUERS) this.#failedAt.clear();
    this.#failedAt.set(url, this.#now());
  }
}

async function refuseCall(url: string): Promise<never> {
  const { errors } = await jose();
  throw new errors.JWKSInvalid(`${url} could not be read a moment ago`);
}

async function fetchKeys(url: string, privateHosts: readonly string[]): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, errors } = await jose();
  const options = { privateHosts, timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_BYTES };
  const answer = await callOutside({ url, method: "GET", headers: { accept: "application/json" }, ...options });
  if (answer.kind !== "answered") throw new errors.JWKSInvalid(`${url} cannot be read: ${answer.reason}`);
  if (answer.status !== 200 || !answer.isWhole) throw new errors.JWKSInvalid(`${url} answered ${answer.status}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer.body.toString());
  } catch {
    throw new errors.JWKSInvalid(`${url} is no JSON`);
  }
  // It checks the form.
  return createLocalJWKSet(parsed as JSONWebKeySet);
}
