import { type Updateable, sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator-api.ts";
import type { EventType } from "../../contract/orchestrator-events.ts";
import { newId } from "../../shared/ids.ts";
import { mayMove } from "../rules/engine-lifecycle.ts";
import { appendAudit } from "./audit-log.ts";
import type { Db } from "./database.ts";
import { type EventLog, origin } from "./events.ts";
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
  /** What the event tells beside the states. Its type follows from the state entered, unless given. */
  readonly event?: {
    readonly type?: EventType;
    readonly reason?: string;
    /** Told too when the state stays what it was. */
    readonly always?: boolean;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

type Removal = Pick<Move, "id" | "from" | "incarnation"> & { readonly reason: string };

const ENTERED: Readonly<Record<EngineState, EventType>> = {
  provisioning: "engine.provisioned",
  starting: "engine.starting",
  running: "engine.running",
  unhealthy: "engine.unhealthy",
  backoff: "engine.crashed",
  stopping: "engine.stopping",
  stopped: "engine.stopped",
  failed: "engine.gave_up",
  stop_failed: "engine.leaked",
  destroying: "engine.stopping",
};

/**
 * The one writer of the state of engines. Each move is one conditional statement that writes its event too, so that
 * of two that race one wins, the other is told so, and no change is without its event.
 */
export class EngineStates {
  readonly #db: Db;
  readonly #events: EventLog;
  readonly #listeners = new Set<(engineId: string) => void>();

  constructor(db: Db, events: EventLog) {
    this.#db = db;
    this.#events = events;
  }

  /** The engine after the move, or null when it was no longer where the move starts from. */
  async move(move: Move): Promise<EngineRow | null> {
    const { id, from, to, event = {} } = move;
    const illegal = from.find((state) => !mayMove(state, to));
    if (illegal !== undefined) throw new Error(`no move leads from ${illegal} to ${to}`);
    const type = event.type ?? ENTERED[to];
    const row = await this.#audited(
      (db) => this.#update(db, move),
      ({ state_before }) => ({ action: type, from: state_before, to, reason: event.reason ?? null, ...event.data }),
    );
    if (row === undefined) return null;
    const { state_before: before, ...engine } = row;
    if (before !== to || event.always) this.#events.count(type);
    this.#tell(id);
    return engine;
  }

  #update(db: Db, { id, from, to, incarnation, set = {}, event = {} }: Move) {
    return db
      .with("before", (db) => {
        const found = db.selectFrom("engines").select(["id", "state"]).where("id", "=", id).where("state", "in", from);
        return (incarnation === undefined ? found : found.where("incarnation", "=", incarnation)).forUpdate();
      })
      .with("moved", (db) =>
        db
          .updateTable("engines")
          .from("before")
          .set({ deadline_at: null, ...set, state: to })
          .whereRef("engines.id", "=", "before.id")
          .returningAll("engines")
          .returning("before.state as state_before"),
      )
      .with("told", (db) =>
        db
          .insertInto("events")
          .columns([...EVENT_COLUMNS, "from_state", "to_state"])
          .expression((eb) =>
            eb
              .selectFrom("moved")
              .select([...this.#event(event.type ?? ENTERED[to], event), "state_before", "state"])
              .where(event.always ? sql.lit(true) : sql<boolean>`state_before <> state`),
          ),
      )
      .selectFrom("moved")
      .selectAll("moved")
      .executeTakeFirst();
  }

  /** Deletes the row, which frees its port. Only from the given states and, if given, only this life. */
  async remove(removal: Removal): Promise<boolean> {
    const { id, reason } = removal;
    const removed = await this.#audited(
      (db) => this.#delete(db, removal),
      ({ state }) => ({ action: "engine.destroyed", from: state, reason }),
    );
    if (removed === undefined) return false;
    this.#events.count("engine.destroyed");
    this.#tell(id);
    return true;
  }

  #delete(db: Db, { id, from, incarnation, reason }: Removal) {
    return db
      .with("moved", (db) => {
        const found = db.deleteFrom("engines").where("id", "=", id).where("state", "in", from);
        return (incarnation === undefined ? found : found.where("incarnation", "=", incarnation)).returningAll();
      })
      .with("told", (db) =>
        db
          .insertInto("events")
          .columns([...EVENT_COLUMNS, "from_state"])
          .expression((eb) => eb.selectFrom("moved").select([...this.#event("engine.destroyed", { reason }), "state"])),
      )
      .selectFrom("moved")
      .select(["id", "product_id", "state"])
      .executeTakeFirst();
  }

  /** What an admin's call does to an engine is in the audit log, written with the change itself. */
  async #audited<Row extends Pick<EngineRow, "id" | "product_id">>(
    change: (db: Db) => Promise<Row | undefined>,
    describe: (row: Row) => { readonly action: EventType } & Readonly<Record<string, unknown>>,
  ): Promise<Row | undefined> {
    if (origin().actor !== "admin") return change(this.#db);
    return this.#db.transaction().execute(async (trx) => {
      const row = await change(trx);
      if (row === undefined) return undefined;
      const { action, ...detail } = describe(row);
      await appendAudit(trx, { action, product_id: row.product_id, engine_id: row.id, detail });
      return row;
    });
  }

  /** Calls back after each change of this engine; returns the undo. */
  onChange(engineId: string, listener: () => void): () => void {
    const own = (id: string) => {
      if (id === engineId) listener();
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** What is told of an engine that a `moved` row describes; in the order of `EVENT_COLUMNS`. */
  #event(type: EventType, { reason, data = {} }: { reason?: string; data?: Readonly<Record<string, unknown>> }) {
    const { actor, request_id } = origin();
    const text = (value: string | null) => sql<string>`${value}::text`;
    return [
      text(newId("evt")).as("event_id"),
      text(this.#events.hostId).as("event_host"),
      text(type).as("event_type"),
      text(reason ?? null).as("event_reason"),
      text(actor).as("event_actor"),
      text(request_id).as("event_request"),
      sql<string>`${JSON.stringify(data)}::jsonb`.as("event_data"),
      "moved.product_id",
      "moved.user_id",
      "moved.id",
      "moved.incarnation",
    ] as const;
  }

  #tell(engineId: string): void {
    for (const listener of this.#listeners) listener(engineId);
  }
}

const EVENT_COLUMNS = [
  "id",
  "host_id",
  "type",
  "reason",
  "actor",
  "request_id",
  "data",
  "product_id",
  "user_id",
  "engine_id",
  "incarnation",
] as const;
