import { sql } from "kysely";
import type { DeliveryState } from "../../contract/orchestrator/notification.ts";
import { newId } from "../../shared/ids.ts";
import { type Db, type Trx, inBatches } from "./database.ts";
import type { NotificationDeliveryRow, NotificationPayload } from "./notification-tables.ts";

/** A claimed delivery that is not settled within this time is tried again: its daemon has died. */
const LEASE_S = 60;

/** Adds a message for one endpoint, which waits for no other. */
export async function insertDelivery(
  db: Db,
  { endpointId, payload }: { readonly endpointId: string; readonly payload: NotificationPayload },
): Promise<NotificationDeliveryRow> {
  const id = newId("ntf");
  return db
    .insertInto("notification_deliveries")
    .values({
      id,
      endpoint_id: endpointId,
      // Those of an engine are ordered.
      engine_id: id,
      type: payload.type,
      payload: JSON.stringify(payload),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A delivery that this daemon tries now, with what its message needs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly product_id: string;
  readonly url: string;
  readonly attempts: number;
  readonly payload: NotificationPayload;
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
}

interface Left {
  /** Those with deliveries in flight, and how many more each may have. */
  readonly ids: readonly string[];
  readonly left: readonly number[];
  /** Of all others. */
  readonly limit: number;
}

/** How many deliveries may begin. */
export interface Room {
  readonly endpoints: Left;
  readonly products: Left;
}

/**
 * Claims due deliveries: of each engine the oldest, of each endpoint and product as many as there is room. The endpoints
 * of a product take turns. Another daemon claims others. What an endpoint without room has waiting is not read, and of
 * what waits behind the oldest of an engine nothing is.
 */
export async function claimDeliveries(
  db: Db,
  { limit, room: { endpoints, products } }: { readonly limit: number; readonly room: Room },
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive room as (
      select e.id, e.product_id, coalesce(of_e.left_over, ${endpoints.limit}) as of_endpoint,
        coalesce(of_p.left_over, ${products.limit}) as of_product
      from notification_endpoints e
      left join unnest(${endpoints.ids}::text[], ${endpoints.left}::int[]) as of_e (id, left_over) on of_e.id = e.id
      left join unnest(${products.ids}::text[], ${products.left}::int[]) as of_p (id, left_over)
        on of_p.id = e.product_id
      where e.enabled
    ), oldest as (
      select room.id as endpoint_id, first.* from room cross join lateral (
        select d.engine_id, d.seq, d.id, d.next_try_at from notification_deliveries d
        where d.state = 'pending' and d.endpoint_id = room.id
        order by d.engine_id, d.seq limit 1
      ) first
      where room.of_endpoint > 0 and room.of_product > 0
      union all
      select previous.endpoint_id, next.* from oldest previous cross join lateral (
        select d.engine_id, d.seq, d.id, d.next_try_at from notification_deliveries d
        where d.state = 'pending' and d.endpoint_id = previous.endpoint_id and d.engine_id > previous.engine_id
        order by d.engine_id, d.seq limit 1
      ) next
    ), due as (
      select *, row_number() over (partition by endpoint_id order by next_try_at, seq) as nth
      from oldest where next_try_at <= now()
    ), fair as (
      select due.id, nth, room.of_product,
        row_number() over (partition by room.product_id order by nth, due.next_try_at, seq) as nth_of_product
      from due join room on room.id = due.endpoint_id where nth <= room.of_endpoint
    ), chosen as (
      select d.id from notification_deliveries d join fair using (id)
      where nth_of_product <= of_product and d.state = 'pending' and d.next_try_at <= now()
      order by nth limit ${limit} for update of d skip locked
    )
    update notification_deliveries d
    set attempts = d.attempts + 1, next_try_at = now() + make_interval(secs => ${LEASE_S})
    from chosen, notification_endpoints e
    where d.id = chosen.id and e.id = d.endpoint_id
    returning d.id, d.endpoint_id, e.product_id, e.url, d.attempts, d.payload, e.secret,
      case when e.previous_expires_at > now() then e.previous_secret end as previous_secret`.execute(db);
  return rows;
}

/** An endpoint's row changes at most once a second: each change would wait for the commit of the one before. */
export async function settleDelivered(
  db: Db,
  deliveries: readonly Pick<ClaimedDelivery, "id" | "endpoint_id">[],
): Promise<void> {
  const endpoints = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))];
  await sql`
    with done as (
      update notification_deliveries set state = 'delivered', delivered_at = now(), last_error = null
      where id = any(${deliveries.map(({ id }) => id)}) and state = 'pending'
    )
    update notification_endpoints set last_delivered_at = now(), failing_since = null
    where id = any(${endpoints})
      and (failing_since is not null or coalesce(last_delivered_at < now() - interval '1 second', true))`.execute(db);
}

/** `retryS`: null gives it up. */
export async function settleFailed(
  db: Db,
  { id, endpoint_id: endpointId }: Pick<ClaimedDelivery, "id" | "endpoint_id">,
  { error, retryS }: { readonly error: string; readonly retryS: number | null },
): Promise<void> {
  await sql`
    with failed as (
      update notification_deliveries
      set last_error = ${error}, state = ${retryS === null ? "dead" : "pending"},
        next_try_at = now() + make_interval(secs => ${retryS ?? 0})
      where id = ${id} and state = 'pending'
    )
    update notification_endpoints set failing_since = now() where id = ${endpointId} and failing_since is null`.execute(
    db,
  );
}

/** Pauses an endpoint that wants no more; its deliveries wait. */
export async function pauseEndpoint(db: Db, endpointId: string, reason: string): Promise<void> {
  await db
    .updateTable("notification_endpoints")
    .set({ enabled: false, paused_reason: reason, updated_at: sql<Date>`now()` })
    .where("id", "=", endpointId)
    .execute();
}

/** Milliseconds until the next delivery is due; null when none waits. */
export async function msUntilNextTry(db: Db): Promise<number | null> {
  const { rows } = await sql<{ readonly ms: number }>`
    select extract(epoch from next_try_at - now())::float8 * 1000 as ms from notification_deliveries
    where state = 'pending' and next_try_at > now() order by next_try_at limit 1`.execute(db);
  return rows[0]?.ms ?? null;
}

/** Deliveries of an endpoint, the newest first. */
export async function listDeliveries(
  db: Db,
  {
    endpointId,
    state,
    before,
    limit,
  }: {
    readonly endpointId: string;
    readonly state: DeliveryState | null;
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<readonly NotificationDeliveryRow[]> {
  let query = db
    .selectFrom("notification_deliveries")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .orderBy("seq", "desc")
    .limit(limit);
  if (state !== null) query = query.where("state", "=", state);
  if (before !== null)
    query = query.where("seq", "<", (eb) =>
      eb.selectFrom("notification_deliveries").select("seq").where("id", "=", before),
    );
  return query.execute();
}

/** Lets deliveries be tried again from the start: one, or all dead ones. */
export async function replayDeliveries(
  trx: Trx,
  { endpointId, id }: { readonly endpointId: string; readonly id: string | null },
): Promise<number> {
  let query = trx
    .updateTable("notification_deliveries")
    .set({ state: "pending", attempts: 0, next_try_at: sql<Date>`now()`, last_error: null, delivered_at: null })
    .where("endpoint_id", "=", endpointId);
  query = id === null ? query.where("state", "=", "dead") : query.where("id", "=", id);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** Removes delivered ones after a day, and dead and paused ones after 30 days. */
export async function purgeDeliveries(db: Db): Promise<void> {
  await inBatches(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from notification_deliveries where id in (
        select id from notification_deliveries
        where (state = 'delivered' and delivered_at < now() - interval '1 day')
          or created_at < now() - interval '30 days'
        limit ${limit})`.execute(db);
    return Number(numAffectedRows);
  });
}
