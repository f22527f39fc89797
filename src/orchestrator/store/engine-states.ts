import type { Updateable } from "kysely";
import type { EngineState } from "../../contract/orchestrator-api.ts";
import { mayMove } from "../rules/engine-lifecycle.ts";
import type { Db } from "./database.ts";
import type { EngineRow, EnginesTable } from "./tables.ts";

/** What a move may write beside the state. */
export type MovePatch = Omit<
  Updateable<EnginesTable>,
  "id" | "product_id" | "user_id" | "host_id" | "state" | "created_at" | "metadata" | "key_hash"
>;

export interface Move {
  readonly id: string;
  /** The states it may be in now; in another one nothing happens. */
  readonly from: readonly EngineState[];
  readonly to: EngineState;
  /** The life this move belongs to: a late result of an earlier one changes nothing. */
  readonly incarnation?: string;
  readonly set?: MovePatch;
}

/**
 * The one writer of the state of engines. Each move is one conditional statement, so that of two that race
 * one wins and the other is told so.
 */
export class EngineStates {
  readonly #db: Db;
  readonly #listeners = new Set<(engineId: string) => void>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The engine after the move, or null when it was no longer where the move starts from. */
  async move({ id, from, to, incarnation, set = {} }: Move): Promise<EngineRow | null> {
    const illegal = from.find((state) => !mayMove(state, to));
    if (illegal !== undefined) throw new Error(`no move leads from ${illegal} to ${to}`);
    let query = this.#db
      .updateTable("engines")
      .set({ deadline_at: null, ...set, state: to })
      .where("id", "=", id)
      .where("state", "in", from);
    if (incarnation !== undefined) query = query.where("incarnation", "=", incarnation);
    const row = await query.returningAll().executeTakeFirst();
    if (row !== undefined) this.#tell(id);
    return row ?? null;
  }

  /** Deletes the row, which frees its port. Only from the given states and, if given, only this life. */
  async remove({ id, from, incarnation }: Pick<Move, "id" | "from" | "incarnation">): Promise<boolean> {
    let query = this.#db.deleteFrom("engines").where("id", "=", id).where("state", "in", from);
    if (incarnation !== undefined) query = query.where("incarnation", "=", incarnation);
    const { numDeletedRows } = await query.executeTakeFirst();
    if (numDeletedRows > 0n) this.#tell(id);
    return numDeletedRows > 0n;
  }

  /** Calls back after each change of this engine; returns the undo. */
  onChange(engineId: string, listener: () => void): () => void {
    const own = (id: string) => {
      if (id === engineId) listener();
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #tell(engineId: string): void {
    for (const listener of this.#listeners) listener(engineId);
  }
}
