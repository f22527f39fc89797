import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { EngineState } from "../store/engine-state.ts";

const SECRET_BYTES = 32;
/** Longer than that of the longest path. */
const MAX_TOKEN_LENGTH = 8192;

interface LinkClaims {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface LinkTokenParts {
  /** Its own name in the store, which the engine alone reads: nothing else can make or check a link. */
  readonly state: Pick<EngineState, "get" | "set">;
  readonly engineId: string;
}

/** Signs links to files and checks them. The secret is made with the first link and never leaves the engine's store. */
export class LinkTokens {
  readonly #parts: LinkTokenParts;

  constructor(parts: LinkTokenParts) {
    this.#parts = parts;
  }

  make(claims: LinkClaims): string {
    const payload = Buffer.from(JSON.stringify([claims.path, claims.until])).toString("base64url");
    return `${payload}.${this.#sign(payload, this.#secretOrNew()).toString("base64url")}`;
  }

  /** Null for a token that this engine has not signed, or that has expired. */
  read(token: string, now: number): Pick<LinkClaims, "path"> | null {
    const { state } = this.#parts;
    const secret = state.get("link_secret");
    const [payload = "", signature = "", ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
    if (secret === null || rest.length > 0) return null;
    const [given, expected] = [Buffer.from(signature, "base64url"), this.#sign(payload, secret.key)];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const [path, until] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, number];
    return now < until ? { path } : null;
  }

  #secretOrNew(): string {
    const { state } = this.#parts;
    const stored = state.get("link_secret");
    if (stored !== null) return stored.key;
    const key = randomBytes(SECRET_BYTES).toString("base64url");
    state.set("link_secret", { key });
    return key;
  }

  #sign(payload: string, key: string): Buffer {
    const { engineId } = this.#parts;
    return createHmac("sha256", key).update(`file-link\n${engineId}\n${payload}`).digest();
  }
}
