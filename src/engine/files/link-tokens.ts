import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LINK_TTL_S } from "../../contract/engine/file-limits.ts";
import type { EngineState, StateValues } from "../store/engine-state.ts";

const SECRET_BYTES = 32;
/** Much longer than any link is valid. A secret that is older signs no link: backups of the store have it. */
const SECRET_AGE_MS = 24 * 3600_000;
/** Longer than that of the longest path. */
const MAX_TOKEN_LENGTH = 8192;

interface LinkClaims {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface LinkTokenParts {
  readonly state: Pick<EngineState, "get" | "set">;
  readonly engineId: string;
}

/** Signs links to files and checks them. The secret is made with the first link of a day and never leaves the engine's store. */
export class LinkTokens {
  readonly #parts: LinkTokenParts;

  constructor(parts: LinkTokenParts) {
    this.#parts = parts;
  }

  make({ path, until }: LinkClaims, now: number): string {
    const payload = Buffer.from(JSON.stringify([path, until])).toString("base64url");
    return `${payload}.${this.#sign(payload, this.#secretAt(now).key).toString("base64url")}`;
  }

  /** Null for a token that this engine has not signed, or that has expired. */
  read(token: string, now: number): Pick<LinkClaims, "path"> | null {
    const [payload = "", signature = "", ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
    if (rest.length > 0) return null;
    const given = Buffer.from(signature, "base64url");
    const isSigned = this.#keysAt(now).some((key) => isEqual(given, this.#sign(payload, key)));
    if (!isSigned) return null;
    const [path, until] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, number];
    return now < until ? { path } : null;
  }

  #keysAt(now: number): readonly string[] {
    const secret = this.#parts.state.get("link_secret");
    if (secret === null) return [];
    const isRecent = now - secret.since < LINK_TTL_S.max * 1000;
    return secret.previous !== null && isRecent ? [secret.key, secret.previous] : [secret.key];
  }

  #secretAt(now: number): StateValues["link_secret"] {
    const { state } = this.#parts;
    const stored = state.get("link_secret");
    if (stored !== null && now - stored.since < SECRET_AGE_MS && stored.since <= now) return stored;
    const key = randomBytes(SECRET_BYTES).toString("base64url");
    const secret = { key, since: now, previous: stored?.key ?? null };
    state.set("link_secret", secret);
    return secret;
  }

  #sign(payload: string, key: string): Buffer {
    const { engineId } = this.#parts;
    return createHmac("sha256", key).update(`file-link\n${engineId}\n${payload}`).digest();
  }
}

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
