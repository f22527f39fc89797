import { sql } from "kysely";
import type { DeliveryState } from "../../contract/orchestrator/notification.ts";
import { newId } from "../../shared/ids.ts";
import { type Db, type Trx, inBatches } from "./database.ts";
import type { NotificationDeliveryRow, NotificationPayload } from "./notification-tables.ts";

/** A claimed delivery that is not settled within this time is tried again: its daemon has died. */
const LEASE_S = 60;

/** A message for the endpoints of a product that want it. */
export interface Notification {
  readonly productId: string;
  /** Null for one of no engine. */
  readonly engineId: string | null;
  readonly payload: NotificationPayload;
}

/** Adds a delivery for each endpoint of the product that wants the event. In the transaction of what it tells of. */
export async function enqueueNotification(trx: Trx, { productId, engineId, payload }: Notification): Promise<void> {
  const endpoints = await trx
    .selectFrom("notification_endpoints")
    .select("id")
    .where("product_id", "=", productId)
    .where(sql<boolean>`${payload.type} = any(events)`)
    .execute();
  for (const { id } of endpoints) await insertDelivery(trx, { endpointId: id, engineId, payload });
}

export async function insertDelivery(
  db: Db,
  {
    endpointId,
    engineId,
    payload,
  }: { readonly endpointId: string; readonly engineId: string | null; readonly payload: NotificationPayload },
): Promise<NotificationDeliveryRow> {
  return db
    .insertInto("notification_deliveries")
    .values({
      id: newId("ntf"),
      endpoint_id: endpointId,
      engine_id: engineId ?? "",
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
 * Claims due deliveries: of each engine the oldest, of each endpoint and product as many as there is room. Another daemon
 * claims others. The oldest are found by one look-up each, however many wait behind them.
 */
export async function claimDeliveries(
  db: Db,
  { limit, room: { endpoints, products } }: { readonly limit: number; readonly room: Room },
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive endpoint_room as (
      select * from unnest(${endpoints.ids}::text[], ${endpoints.left}::int[]) as r (id, left_over)
    ), product_room as (
      select * from unnest(${products.ids}::text[], ${products.left}::int[]) as r (id, left_over)
    ), roomy as (
      select e.id, e.product_id, coalesce(endpoint_room.left_over, ${endpoints.limit}) as own,
        coalesce(product_room.left_over, ${products.limit}) as products
      from notification_endpoints e
      left join endpoint_room on endpoint_room.id = e.id
      left join product_room on product_room.id = e.product_id
      where e.enabled and coalesce(endpoint_room.left_over, 1) > 0 and coalesce(product_room.left_over, 1) > 0
    ), heads as (
      select roomy.id as endpoint_id, oldest.* from roomy cross join lateral (
        select engine_id, id, seq, next_try_at from notification_deliveries
        where endpoint_id = roomy.id and state = 'pending' order by engine_id, seq limit 1
      ) oldest
      union all
      select heads.endpoint_id, oldest.* from heads cross join lateral (
        select engine_id, id, seq, next_try_at from notification_deliveries d
        where d.endpoint_id = heads.endpoint_id and d.state = 'pending' and d.engine_id > heads.engine_id
        order by engine_id, seq limit 1
      ) oldest
    ), due as (
      select heads.*, roomy.product_id, roomy.own, roomy.products,
        row_number() over (partition by roomy.id order by next_try_at, seq) as of_endpoint
      from heads join roomy on roomy.id = heads.endpoint_id where next_try_at <= now()
    ), fitting as (
      -- What has no room at its endpoint takes none from the other endpoints of the product.
      select id, products, row_number() over (partition by product_id order by next_try_at, seq) as of_product
      from due where of_endpoint <= own
    ), chosen as (
      select d.id from notification_deliveries d join fitting using (id)
      where fitting.of_product <= fitting.products and d.state = 'pending' and d.next_try_at <= now()
      limit ${limit} for update of d skip locked
    )
    update notification_deliveries d
    set attempts = d.attempts + 1, next_try_at = now() + make_interval(secs => ${LEASE_S})
    from chosen, notification_endpoints e
    where d.id = chosen.id and e.id = d.endpoint_id
    returning d.id, d.endpoint_id, e.product_id, e.url, d.attempts, d.payload, e.secret,
      case when e.previous_expires_at > now() then e.previous_secret end as previous_secret`.execute(db);
  return rows;
}

export async function settleDelivered(
  db: Db,
  { id, endpoint_id }: Pick<ClaimedDelivery, "id" | "endpoint_id">,
): Promise<void> {
  await sql`
    with done as (
      update notification_deliveries set state = 'delivered', delivered_at = now(), last_error = null
      where id = ${id} and state = 'pending'
    )
    update notification_endpoints set last_delivered_at = now() where id = ${endpoint_id}`.execute(db);
}

/** `retryS`: null gives it up. */
export async function settleFailed(
  db: Db,
  id: string,
  { error, retryS }: { readonly error: string; readonly retryS: number | null },
): Promise<void> {
  await db
    .updateTable("notification_deliveries")
    .set({
      last_error: error,
      ...(retryS === null ? { state: "dead" } : { next_try_at: sql<Date>`now() + make_interval(secs => ${retryS})` }),
    })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .execute();
}

/** Pauses an endpoint that wants no more; its deliveries wait. */
export async function pauseEndpoint(db: Db, endpointId: string, reason: string): Promise<void> {
  await db
    .updateTable("notification_endpoints")
    .set({ enabled: false, paused_reason: reason, updated_at: sql<Date>`now()` })
    .where("id", "=", endpointId)
    .execute();
}

/**
 * Milliseconds until the next delivery becomes due; null when none does. What is due and was not claimed waits for another
 * one.
 */
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
