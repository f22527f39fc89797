import type { JWTPayload } from "jose";
import { readScopes } from "../../contract/engine/scopes.ts";
import { userId } from "../../contract/orchestrator/requests.ts";
import { MAX_USER_TOKEN } from "../../contract/orchestrator/user-token.ts";
import type { Clock } from "../../shared/clock.ts";
import { lazily } from "../../shared/lazily.ts";
import type { Db } from "../store/database.ts";
import { type ProductIssuer, findIssuers, findUsersEngine } from "../store/end-users.ts";
import type { ProductDirectory } from "../store/product-directory.ts";
import { PublishedKeys } from "./published-keys.ts";
import type { Principal } from "./principal.ts";
import { NO_LAYERS } from "../../contract/orchestrator/engine-policy.ts";

const jose = lazily(() => import("jose"));

interface ProductTokensParts {
  readonly db: Db;
  readonly directory: Pick<ProductDirectory, "onChange" | "isListening">;
  readonly now: Clock;
}

/** Verifies tokens of the products' own identity providers. */
export class ProductTokens {
  readonly #parts: ProductTokensParts;
  readonly #keys: PublishedKeys;
  #issuers: Promise<readonly ProductIssuer[]> | null = null;

  constructor(parts: ProductTokensParts) {
    this.#parts = parts;
    this.#keys = new PublishedKeys(parts.now);
    parts.directory.onChange(() => (this.#issuers = null));
  }

  /** Null for a token that is not valid now, or of no product. The engine of a new user is null. */
  async verify(token: string): Promise<Principal | null> {
    if (token.length > MAX_USER_TOKEN) return null;
    const issuer = await this.#issuerOf(token);
    const claims = issuer === null ? null : await this.#claimsOf(token, issuer);
    if (issuer === null || claims === null) return null;
    const { exp, iat = 0, jti = "", [issuer.user_claim]: user } = claims;
    const { success, data } = userId.safeParse(user);
    if (!success || exp === undefined) return null;
    const engine = await findUsersEngine(this.#parts.db, issuer.productId, data);
    // A token of the second of the revocation may be older than it.
    if (engine !== null && iat * 1000 <= engine.revokedAt) return null;
    return {
      engineId: engine?.engineId ?? null,
      productId: issuer.productId,
      userId: data,
      layers: engine?.layers ?? NO_LAYERS,
      tokenId: jti.slice(0, 256),
      scopes: readScopes(issuer.scope) ?? new Set(),
      tasks: null,
      expiresAt: (exp + issuer.clock_skew_s) * 1000,
    };
  }

  /** By the token's own words, which nothing has verified yet. */
  async #issuerOf(token: string): Promise<ProductIssuer | null> {
    const { decodeJwt, errors } = await jose();
    let claims: JWTPayload;
    try {
      claims = decodeJwt(token);
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
    const audiences = [claims.aud ?? []].flat();
    const issuers = await (this.#issuers ?? this.#readIssuers());
    return issuers.find(({ issuer, audience }) => issuer === claims.iss && audiences.includes(audience)) ?? null;
  }

  async #claimsOf(token: string, issuer: ProductIssuer): Promise<JWTPayload | null> {
    const { errors, jwtVerify } = await jose();
    const expected = {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      audience: issuer.audience,
      requiredClaims: ["exp", "iat", issuer.user_claim],
      clockTolerance: issuer.clock_skew_s,
      currentDate: new Date(this.#parts.now()),
    };
    try {
      return (await jwtVerify(token, await this.#keys.of(issuer), expected)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  #readIssuers(): Promise<readonly ProductIssuer[]> {
    const reading = findIssuers(this.#parts.db);
    this.#issuers = reading;
    const forget = () => {
      if (this.#issuers === reading) this.#issuers = null;
    };
    // A failure is not kept, nor what this process would hear no change of.
    reading.then(() => this.#parts.directory.isListening || forget(), forget);
    return reading;
  }
}
