import { type Insertable, type Updateable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { WebhookRow, WebhooksTable } from "./schedule-tables.ts";

export const insertWebhook = (trx: Trx, webhook: Insertable<WebhooksTable>): Promise<WebhookRow> =>
  trx.insertInto("webhooks").values(webhook).returningAll().executeTakeFirstOrThrow();

/** Null when the engine has no webhook with this id. */
export async function findWebhook(db: Db, engineId: string, id: string): Promise<WebhookRow | null> {
  const row = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("engine_id", "=", engineId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** The webhooks with these ids, by id. */
export async function findWebhooksById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, WebhookRow>> {
  const rows = await db.selectFrom("webhooks").selectAll().where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Webhooks of an engine in order of creation, after the id `after`. */
export async function listWebhooks(
  db: Db,
  { engineId, after, limit }: { readonly engineId: string; readonly after: string | null; readonly limit: number },
): Promise<WebhookRow[]> {
  let query = db.selectFrom("webhooks").selectAll().where("engine_id", "=", engineId).orderBy("id").limit(limit);
  if (after !== null) query = query.where("id", ">", after);
  return query.execute();
}

/** Null when the webhook was deleted. */
export async function updateWebhook(trx: Trx, id: string, set: Updateable<WebhooksTable>): Promise<WebhookRow | null> {
  const row = await trx
    .updateTable("webhooks")
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Makes `secret` the current one. The previous one stays valid until `previousExpiresAt`. */
export async function replaceWebhookSecret(
  trx: Trx,
  id: string,
  { secret, previousExpiresAt }: { readonly secret: Buffer; readonly previousExpiresAt: Date },
): Promise<WebhookRow | null> {
  const row = await trx
    .updateTable("webhooks")
    .set((eb) => ({
      previous_secret: eb.ref("secret"),
      previous_expires_at: previousExpiresAt,
      secret,
      updated_at: sql<Date>`now()`,
    }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteWebhook(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom("webhooks").where("id", "=", id).execute();
}
