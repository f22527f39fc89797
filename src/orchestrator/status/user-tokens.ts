import { readScopes } from "../../contract/engine/scopes.ts";
import { type TaskBounds, taskBounds } from "../../contract/engine/task-bounds.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { MAX_USER_TOKEN, USER_TOKEN_PREFIX, USER_TOKEN_TTL_S } from "../../contract/orchestrator/user-token.ts";
import type { Clock } from "../../shared/clock.ts";
import { lazily } from "../../shared/lazily.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import type { Db } from "../store/database.ts";
import type { ProductDirectory } from "../store/product-directory.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import { type TokenHolder, findTokenHolders } from "../store/token-holders.ts";
import { ProductTokens } from "./product-tokens.ts";
import type { AdmittedPrincipal, Principal } from "./principal.ts";
import { SigningKeys } from "./signing-keys.ts";

const ISSUER = "orchd";
const ALGORITHM = "EdDSA";
/** Of the header `typ`: a token of another purpose is no token of an end user. */
const TYPE = "orchd-user+jwt";
const MAX_CACHED = 10_000;
/** A longer timer overflows and fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How soon the token of an open call is checked again after the database could not tell. */
const RECHECK_MS = 500;
const jose = lazily(() => import("jose"));

interface Claims {
  readonly sub?: string | undefined;
  readonly jti?: string | undefined;
  readonly exp?: number | undefined;
  readonly scope?: unknown;
  readonly epoch?: unknown;
  readonly tasks?: unknown;
}

interface UserTokensParts {
  readonly db: Db;
  readonly box: SealedBox;
  readonly directory: Pick<ProductDirectory, "onTokensRevoked" | "onChange" | "isListening">;
  readonly now: Clock;
}

/** Signs tokens of end users and verifies them. A verified token is cached until it ends or is revoked. */
export class UserTokens {
  readonly #parts: UserTokensParts;
  readonly #keys: SigningKeys;
  readonly #products: ProductTokens;
  /** Batched, so that unauthenticated callers can occupy only one connection of the pool. */
  readonly #holders: BatchedLookups<TokenHolder>;
  /** By the token's SHA-256. */
  readonly #cache = new Map<string, Principal>();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Counts revocations, so that a token read before one is not cached after it. */
  #generation = 0;

  constructor(parts: UserTokensParts) {
    this.#parts = parts;
    this.#keys = new SigningKeys(parts);
    this.#products = new ProductTokens(parts);
    this.#holders = new BatchedLookups((ids) => findTokenHolders(parts.db, ids));
    parts.directory.onTokensRevoked((engineId) => this.#revoked(engineId));
    // The policy may name another identity provider.
    parts.directory.onChange(() => this.#revoked(null));
  }

  async sign(
    { engineId, epoch }: Pick<TokenHolder, "engineId" | "epoch">,
    {
      id,
      scope,
      tasks,
      expiresAt,
    }: {
      readonly id: string;
      readonly scope: string;
      readonly tasks: TaskBounds | undefined;
      readonly expiresAt: number;
    },
  ): Promise<string> {
    const { SignJWT } = await jose();
    const { kid, key } = await this.#keys.signing();
    const jwt = new SignJWT({ scope, epoch, ...(tasks !== undefined && { tasks }) })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: TYPE })
      .setIssuer(ISSUER)
      .setSubject(engineId)
      .setJti(id)
      .setIssuedAt(Math.floor(this.#parts.now() / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000));
    return USER_TOKEN_PREFIX + (await jwt.sign(key));
  }

  /** Null for a token that is not valid now. Rejects when the database cannot tell. */
  async verify(token: string): Promise<Principal | null> {
    const { now, directory } = this.#parts;
    if (token.length > MAX_USER_TOKEN) return null;
    const hash = sha256(token);
    const known = this.#cache.get(hash);
    if (known !== undefined) return known.expiresAt > now() ? known : null;
    const generation = this.#generation;
    const isOwn = token.startsWith(USER_TOKEN_PREFIX);
    const principal = isOwn ? await this.#verifyOwn(token) : await this.#products.verify(token);
    // While this process hears of no revocation, each call queries the database.
    if (principal !== null && principal.engineId !== null && directory.isListening && generation === this.#generation) {
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      this.#cache.set(hash, principal);
    }
    return principal;
  }

  async #verifyOwn(token: string): Promise<Principal | null> {
    const claims = await this.#claimsOf(token.slice(USER_TOKEN_PREFIX.length));
    const holder = claims?.sub === undefined ? null : await this.#holders.find(claims.sub);
    return claims === null || holder === null ? null : principalOf(claims, holder);
  }

  /** Calls `end` once when the token of an open call is revoked or over. Returns how to forget the call. */
  watch(token: string, { engineId, expiresAt }: AdmittedPrincipal, end: () => void): () => void {
    let again: NodeJS.Timeout | undefined;
    const stop = () => {
      clearTimeout(timer);
      clearTimeout(again);
      watchers.delete(check);
      // Another stream may have come since the first end.
      if (watchers.size === 0 && this.#watchers.get(engineId) === watchers) this.#watchers.delete(engineId);
    };
    const finish = () => {
      stop();
      end();
    };
    const check = () => {
      this.verify(token).then(
        (principal) => principal === null && finish(),
        // A database error says nothing about the token, which may be revoked.
        () => {
          clearTimeout(again);
          if (watchers.has(check)) again = setTimeout(check, RECHECK_MS).unref();
        },
      );
    };
    const timer = setTimeout(finish, Math.max(0, Math.min(expiresAt - this.#parts.now(), MAX_TIMER_MS)));
    timer.unref();
    const watchers = this.#watchers.get(engineId) ?? new Set();
    this.#watchers.set(engineId, watchers.add(check));
    // It may have been revoked since the call was admitted.
    check();
    return stop;
  }

  #revoked(engineId: string | null): void {
    this.#generation++;
    this.#cache.clear();
    const watchers = engineId === null ? [...this.#watchers.values()] : [this.#watchers.get(engineId) ?? []];
    for (const each of watchers) for (const check of each) check();
  }

  async #claimsOf(jwt: string): Promise<Claims | null> {
    const { errors, jwtVerify } = await jose();
    const keyOf = async ({ kid }: { readonly kid?: string }) => {
      const key = kid === undefined ? null : await this.#keys.verifying(kid);
      if (key === null) throw new errors.JWKSNoMatchingKey();
      return key;
    };
    const expected = {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      typ: TYPE,
      requiredClaims: ["sub", "jti", "exp", "iat"],
      maxTokenAge: USER_TOKEN_TTL_S.MAX,
      currentDate: new Date(this.#parts.now()),
    };
    try {
      return (await jwtVerify(jwt, keyOf, expected)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

/** Null for a token of an earlier epoch. */
function principalOf(
  { jti, exp, scope, epoch, tasks }: Claims,
  { epoch: current, ...holder }: TokenHolder,
): Principal | null {
  const scopes = typeof scope === "string" ? readScopes(scope) : null;
  if (epoch !== current || scopes === null || jti === undefined || exp === undefined) return null;
  const bounds = tasks === undefined ? null : taskBounds.parse(tasks);
  return { ...holder, tokenId: jti, scopes, tasks: bounds, expiresAt: exp * 1000 };
}
