import { reachability } from "../rules/engine-lifecycle.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import type { Db } from "../store/database.ts";
import { type EngineWhereabouts, findEngineWhereabouts } from "../store/engines.ts";

/** Where a follower reaches engines without the leader, by their records. */
export class DirectAddresses {
  readonly #stored: BatchedLookups<EngineWhereabouts>;
  readonly #addressOf: (engine: EngineWhereabouts) => string | null;

  /** `addressOf`: null where only the leader reaches the engine. */
  constructor(db: Db, addressOf: (engine: EngineWhereabouts) => string | null) {
    this.#stored = new BatchedLookups((ids) => findEngineWhereabouts(db, ids));
    this.#addressOf = addressOf;
  }

  /** Null unless the engine runs, and while the database cannot be reached. */
  async find(engineId: string): Promise<string | null> {
    const engine = await this.#stored.find(engineId).catch(() => null);
    return engine !== null && reachability(engine) === "up" ? this.#addressOf(engine) : null;
  }
}
