import type { EngineKey } from "../../contract/engine/launch.ts";
import { sameSecret, sha256 } from "../../contract/orchestrator/api-keys.ts";

/** The keys an engine takes: the current one and, in a rotation's grace, the one before. Only hashes. */
export class AcceptedKeys {
  #keys: readonly EngineKey[];

  constructor(keys: readonly EngineKey[]) {
    this.#keys = keys;
  }

  replace(keys: readonly EngineKey[]): void {
    this.#keys = keys;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Compares every key, so that the time reveals nothing. */
  accepts(key: string | undefined, now: number): boolean {
    const hash = sha256(key ?? "");
    const good = this.#keys.filter(
      (known) => sameSecret(known.hash, hash) && (known.expires_at === null || Date.parse(known.expires_at) > now),
    );
    return key !== undefined && good.length > 0;
  }
}
