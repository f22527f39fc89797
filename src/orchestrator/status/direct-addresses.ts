import { reachability } from "../rules/engine-lifecycle.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import type { Db } from "../store/database.ts";
import { type EngineEndpoint, findEngineEndpoints } from "../store/engines.ts";

/** The addresses of engines, by their rows, that a follower can call without the leader. */
export class DirectAddresses {
  readonly #stored: BatchedLookups<EngineEndpoint>;
  readonly #addressOf: (engine: EngineEndpoint) => string | null;

  /** `addressOf`: null when only the leader can reach the engine. */
  constructor(db: Db, addressOf: (engine: EngineEndpoint) => string | null) {
    this.#stored = new BatchedLookups((ids) => findEngineEndpoints(db, ids));
    this.#addressOf = addressOf;
  }

  /** Null when the engine does not run, or the database cannot be reached. */
  async find(engineId: string): Promise<string | null> {
    const engine = await this.#stored.find(engineId).catch(() => null);
    return engine !== null && reachability(engine) === "up" ? this.#addressOf(engine) : null;
  }
}
