import { sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { EventRecord } from "../../contract/orchestrator/event.ts";
import type { Actor, EventType } from "../../contract/orchestrator/event-types.ts";
import { newId } from "../../shared/ids.ts";
import { currentRequest } from "../../shared/request-context.ts";
import { type Db, inBatches } from "./database.ts";
import type { EngineRow, EventsTable } from "./tables.ts";

interface NewEvent {
  readonly type: EventType;
  /** The engine of the event, with its product and user. */
  readonly engine?: Pick<EngineRow, "id" | "product_id" | "user_id" | "incarnation">;
  readonly productId?: string;
  readonly reason?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The actor and the id of the current request. Without a request the actor is the daemon. */
export function origin(): { readonly actor: Actor; readonly request_id: string | null } {
  const request = currentRequest();
  return { actor: request?.actor ?? "orchd", request_id: request?.requestId ?? null };
}

/** Writes and counts the events of one daemon. */
export class EventLog {
  readonly hostId: string;
  readonly #written = new Map<EventType, number>();
  readonly #listeners: (() => void)[] = [];

  constructor(hostId: string) {
    this.hostId = hostId;
  }

  /** Counts by type since this daemon started. */
  get written(): ReadonlyMap<EventType, number> {
    return this.#written;
  }

  /** Writes an event. It must be the last statement of a transaction, since it holds a lock until the commit. */
  async insert(db: Db, event: NewEvent): Promise<void> {
    const { engine } = event;
    await db
      .insertInto("events")
      .values({
        id: newId("evt"),
        host_id: this.hostId,
        type: event.type,
        product_id: engine?.product_id ?? event.productId ?? null,
        user_id: engine?.user_id ?? null,
        engine_id: engine?.id ?? null,
        incarnation: engine?.incarnation ?? null,
        from_state: null,
        to_state: null,
        reason: event.reason ?? null,
        ...origin(),
        data: JSON.stringify(event.data ?? {}),
      })
      .execute();
    this.count(event.type);
  }

  /** Called for each event that is written, before its transaction has committed. */
  onWritten(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Counts an event that another statement has written. */
  count(type: EventType): void {
    this.#written.set(type, (this.#written.get(type) ?? 0) + 1);
    for (const listener of this.#listeners) listener();
  }
}

/** When the last event of a host was written. */
export async function lastEventTime(db: Db, hostId: string): Promise<Date | null> {
  const query = db.selectFrom("events").select("time").where("host_id", "=", hostId);
  return (await query.orderBy("seq", "desc").limit(1).executeTakeFirst())?.time ?? null;
}

export interface EventFilter {
  /** Default: every product. */
  readonly productId?: string | undefined;
  readonly userId?: string | undefined;
}

/** Events, newest first, older than the event with the id `before`. */
export async function listEvents(
  db: Db,
  { before, limit, ...filter }: EventFilter & { readonly before: string | null; readonly limit: number },
): Promise<EventRecord[]> {
  let query = filtered(db, filter).orderBy("seq", "desc").limit(limit);
  if (before !== null)
    query = query.where("seq", "<", (eb) => eb.selectFrom("events").select("seq").where("id", "=", before));
  return (await query.execute()).map(toRecord);
}

/** A position in the order of events. */
export type EventPosition = string;

/** Events after a position, oldest first, and the position after them. */
export async function eventsAfter(
  db: Db,
  { after, limit, ...filter }: EventFilter & { readonly after: EventPosition; readonly limit: number },
): Promise<{ readonly events: EventRecord[]; readonly position: EventPosition }> {
  const rows = await filtered(db, filter).where("seq", ">", after).orderBy("seq").limit(limit).execute();
  return { events: rows.map(toRecord), position: rows.at(-1)?.seq ?? after };
}

/** The position of the newest event. */
export async function lastPosition(db: Db): Promise<EventPosition> {
  const row = await db.selectFrom("events").select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row?.seq ?? "0";
}

/** The position of an event, or null when it does not exist or has been purged. */
export async function positionOf(db: Db, id: string): Promise<EventPosition | null> {
  const row = await db.selectFrom("events").select("seq").where("id", "=", id).executeTakeFirst();
  return row?.seq ?? null;
}

/** Removes events older than `keptDays` and, of each product, all but the newest `perProduct`. */
export async function purgeEvents(
  db: Db,
  { keptDays, perProduct }: { readonly keptDays: number; readonly perProduct: number },
): Promise<void> {
  const old = sql<string>`select seq from events where time < now() - make_interval(days => ${keptDays})`;
  const tooMany = sql<string>`
    select events.seq from products
    join lateral (
      select seq from events where product_id = products.id order by seq desc offset ${perProduct} limit 1
    ) last_kept on true
    join events on events.product_id = products.id and events.seq <= last_kept.seq`;
  for (const removed of [old, tooMany]) {
    await inBatches(async (limit) => {
      const { numAffectedRows = 0n } = await sql`
        delete from events where seq in (${removed} limit ${limit})`.execute(db);
      return Number(numAffectedRows);
    });
  }
}

function filtered(db: Db, { productId, userId }: EventFilter) {
  let query = db.selectFrom("events").selectAll();
  if (productId !== undefined) query = query.where("product_id", "=", productId);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  return query;
}

function toRecord(
  row: {
    [K in Exclude<keyof EventsTable, "seq" | "time" | "data">]: EventsTable[K];
  } & { time: Date; data: Record<string, unknown> },
): EventRecord {
  return {
    id: row.id,
    type: row.type,
    time: row.time.toISOString(),
    product_id: row.product_id,
    user_id: row.user_id,
    engine_id: row.engine_id,
    incarnation: row.incarnation,
    from: row.from_state satisfies EngineState | null,
    to: row.to_state,
    reason: row.reason,
    actor: row.actor,
    request_id: row.request_id,
    data: row.data,
  };
}
