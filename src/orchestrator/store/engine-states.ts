import { type Updateable, sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { EventType } from "../../contract/orchestrator/event-types.ts";
import { mayCallBroker, mayMove } from "../rules/engine-lifecycle.ts";
import { appendAudit, lockAudit } from "./audit-log.ts";
import type { Db } from "./database.ts";
import { type EventLog, origin } from "./events.ts";
import { EVENT_COLUMNS, EVENT_OF_STATE, EVENT_STATE, stateEvent } from "./state-event.ts";
import type { EngineRow, EnginesTable } from "./tables.ts";

/** The columns that a move may set besides the state. */
type MovePatch = Omit<
  Updateable<EnginesTable>,
  "id" | "product_id" | "user_id" | "host_id" | "state" | "created_at" | "metadata" | "key_hash"
>;

export interface Move {
  readonly id: string;
  /** The states that the move starts from. In any other state it does nothing. */
  readonly from: readonly EngineState[];
  readonly to: EngineState;
  /** The incarnation that the move belongs to. A late result of an earlier one changes nothing. */
  readonly incarnation?: string;
  /** Only an engine without a recorded process. */
  readonly withoutProcess?: boolean;
  readonly set?: MovePatch;
  /** Fields of the event besides the states. The type follows from `to` unless given. */
  readonly event?: {
    readonly type?: EventType;
    readonly reason?: string;
    /** Write the event even when the state does not change. */
    readonly always?: boolean;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

type Removal = Pick<Move, "id" | "from" | "incarnation"> & { readonly reason: string };

/**
 * The only writer of engine states. Each move is one conditional statement that also writes its event: of two concurrent
 * moves one wins and the other returns null, and no change lacks its event.
 */
export class EngineStates {
  readonly #db: Db;
  readonly #events: EventLog;
  readonly #listeners = new Set<(engineId: string) => void>();
  readonly #endListeners: ((engineId: string) => void)[] = [];

  constructor(db: Db, events: EventLog) {
    this.#db = db;
    this.#events = events;
  }

  /** Returns the engine after the move, or null when it was not in a state of `from`. */
  async move(move: Move): Promise<EngineRow | null> {
    const { id, from, to, event = {} } = move;
    const illegal = from.find((state) => !mayMove(state, to));
    if (illegal !== undefined) throw new Error(`illegal move from ${illegal} to ${to}`);
    const type = event.type ?? EVENT_OF_STATE[to];
    const row = await this.#audited(
      id,
      (db) => this.#update(db, move),
      ({ event_before }) => ({ action: type, from: event_before, to, reason: event.reason ?? null, ...event.data }),
    );
    if (row === undefined) return null;
    const { event_before: before, event_state, ...engine } = row;
    if (before !== event_state || event.always) this.#events.count(type);
    this.#notify(id);
    if (before !== event_state && !mayCallBroker(engine)) this.#ended(id);
    return engine;
  }

  #update(db: Db, { id, from, to, incarnation, withoutProcess = false, set = {}, event = {} }: Move) {
    return db
      .with("before", (db) => {
        const found = db
          .selectFrom("engines")
          .select(["id", EVENT_STATE.as("event_state")])
          .where("id", "=", id)
          .where("state", "in", from);
        const free = withoutProcess ? found.where("handle", "is", null) : found;
        return (incarnation === undefined ? free : free.where("incarnation", "=", incarnation)).forUpdate();
      })
      .with("moved", (db) =>
        db
          .updateTable("engines")
          .from("before")
          .set({ deadline_at: null, ...set, state: to })
          .whereRef("engines.id", "=", "before.id")
          .returningAll("engines")
          .returning(["before.event_state as event_before", EVENT_STATE.as("event_state")]),
      )
      .with("inserted", (db) =>
        db
          .insertInto("events")
          .columns([...EVENT_COLUMNS, "from_state", "to_state"])
          .expression((eb) =>
            eb
              .selectFrom("moved")
              .select([
                ...stateEvent(this.#events.hostId, event.type ?? EVENT_OF_STATE[to], event),
                "event_before",
                "event_state",
              ])
              .where(event.always ? sql.lit(true) : sql<boolean>`event_before <> event_state`),
          ),
      )
      .selectFrom("moved")
      .selectAll("moved")
      .executeTakeFirst();
  }

  /** Deletes the row, which frees its port. False when it is not in a state of `from` or in another incarnation. */
  async remove(removal: Removal): Promise<boolean> {
    const { id, reason } = removal;
    const removed = await this.#audited(
      id,
      (db) => this.#delete(db, removal),
      ({ event_state }) => ({ action: "engine.destroyed", from: event_state, reason }),
    );
    if (removed === undefined) return false;
    this.#events.count("engine.destroyed");
    this.#notify(id);
    this.#ended(id);
    return true;
  }

  #delete(db: Db, { id, from, incarnation, reason }: Removal) {
    return db
      .with("moved", (db) => {
        const found = db.deleteFrom("engines").where("id", "=", id).where("state", "in", from);
        return (incarnation === undefined ? found : found.where("incarnation", "=", incarnation)).returning([
          "id",
          "product_id",
          "user_id",
          "incarnation",
          EVENT_STATE.as("event_state"),
        ]);
      })
      .with("inserted", (db) =>
        db
          .insertInto("events")
          .columns([...EVENT_COLUMNS, "from_state"])
          .expression((eb) =>
            eb
              .selectFrom("moved")
              .select([...stateEvent(this.#events.hostId, "engine.destroyed", { reason }), "event_state"]),
          ),
      )
      .selectFrom("moved")
      .select(["id", "product_id", "event_state"])
      .executeTakeFirst();
  }

  /** A change by an admin's call is written to the audit log in the same transaction. */
  async #audited<Row extends Pick<EngineRow, "id" | "product_id">>(
    id: string,
    change: (db: Db) => Promise<Row | undefined>,
    describe: (row: Row) => { readonly action: EventType } & Readonly<Record<string, unknown>>,
  ): Promise<Row | undefined> {
    if (origin().actor !== "admin") return change(this.#db);
    return this.#db.transaction().execute(async (trx) => {
      // The change inserts an event, so the other locks come first.
      await trx.selectFrom("engines").select("id").where("id", "=", id).forUpdate().execute();
      await lockAudit(trx);
      const row = await change(trx);
      if (row === undefined) return undefined;
      const { action, ...detail } = describe(row);
      await appendAudit(trx, { action, product_id: row.product_id, engine_id: row.id, detail });
      return row;
    });
  }

  /** Calls back after each change of this engine. Returns the function that unsubscribes. */
  onChange(engineId: string, listener: () => void): () => void {
    const own = (id: string) => {
      if (id === engineId) listener();
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Calls back when the keys that a start of an engine has for the broker hold no longer. */
  onEnded(listener: (engineId: string) => void): void {
    this.#endListeners.push(listener);
  }

  #ended(engineId: string): void {
    for (const listener of this.#endListeners) listener(engineId);
  }

  #notify(engineId: string): void {
    for (const listener of this.#listeners) listener(engineId);
  }
}
