import { type Insertable, type Updateable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { NotificationEndpointRow, NotificationEndpointsTable } from "./notification-tables.ts";

/** An endpoint with what waits and what was given up. */
export interface CountedEndpoint extends NotificationEndpointRow {
  readonly pending: number;
  readonly dead: number;
}

/** False when the product has `max` endpoints already. The product's row is locked until the end of the transaction. */
export async function insertEndpoint(
  trx: Trx,
  endpoint: Insertable<NotificationEndpointsTable>,
  max: number,
): Promise<boolean> {
  await trx.selectFrom("products").select("id").where("id", "=", endpoint.product_id).forUpdate().execute();
  const { count } = await trx
    .selectFrom("notification_endpoints")
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .where("product_id", "=", endpoint.product_id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= max) return false;
  await trx.insertInto("notification_endpoints").values(endpoint).execute();
  return true;
}

/** The endpoints of a product by id, or the one with this id. */
export async function listEndpoints(
  db: Db,
  { productId, id }: { readonly productId: string; readonly id?: string },
): Promise<readonly CountedEndpoint[]> {
  let query = db.selectFrom("notification_endpoints").selectAll().where("product_id", "=", productId).orderBy("id");
  if (id !== undefined) query = query.where("id", "=", id);
  const counted = (state: "pending" | "dead") =>
    sql<string>`(select count(*) from notification_deliveries
      where endpoint_id = notification_endpoints.id and state = ${state})`.as(state);
  const rows = await query.select([counted("pending"), counted("dead")]).execute();
  return rows.map((row) => ({ ...row, pending: Number(row.pending), dead: Number(row.dead) }));
}

/** False when the product has no such endpoint. */
export async function updateEndpoint(
  trx: Trx,
  { productId, id }: { readonly productId: string; readonly id: string },
  set: Updateable<NotificationEndpointsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("notification_endpoints")
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where("product_id", "=", productId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes `secret` the current one. Messages are signed with both until `previousExpiresAt`. */
export async function replaceEndpointSecret(
  trx: Trx,
  { productId, id }: { readonly productId: string; readonly id: string },
  { secret, graceS }: { readonly secret: Buffer; readonly graceS: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("notification_endpoints")
    .set((eb) => ({
      previous_secret: eb.ref("secret"),
      previous_expires_at: sql<Date>`now() + make_interval(secs => ${graceS})`,
      secret,
      updated_at: sql<Date>`now()`,
    }))
    .where("product_id", "=", productId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteEndpoint(
  trx: Trx,
  { productId, id }: { readonly productId: string; readonly id: string },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("notification_endpoints")
    .where("product_id", "=", productId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
