import { type Insertable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { SecretRow, SecretsTable } from "./secret-tables.ts";

/** Whose secrets: a user's, or with the empty user those of the product. */
export interface SecretOwner {
  readonly productId: string;
  readonly userId: string;
}
export type SecretKey = SecretOwner & { readonly name: string };

export const OF_PRODUCT = "";

/**
 * Locks the owner until the end of the transaction: the product's row, and a user's engine, whose destroy waits. False when
 * the product is gone, or the user's engine is gone or being destroyed: its secrets could not be deleted with it.
 */
export async function lockOwner(trx: Trx, { productId, userId }: SecretOwner): Promise<boolean> {
  const product = await trx.selectFrom("products").select("id").where("id", "=", productId).forUpdate().execute();
  if (userId === OF_PRODUCT || product.length === 0) return product.length > 0;
  const engine = await trx
    .selectFrom("engines")
    .select("id")
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .where("state", "<>", "destroying")
    .forShare()
    .execute();
  return engine.length > 0;
}

/** Inserts or replaces. Null when the owner, which is locked, has `max` others already. */
export async function putSecret(trx: Trx, secret: Insertable<SecretsTable>, max: number): Promise<SecretRow | null> {
  const { count } = await trx
    .selectFrom("secrets")
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .where("product_id", "=", secret.product_id)
    .where("user_id", "=", secret.user_id)
    .where("name", "<>", secret.name)
    .executeTakeFirstOrThrow();
  if (Number(count) >= max) return null;
  const { product_id: _, user_id: __, name: ___, ...set } = secret;
  return trx
    .insertInto("secrets")
    .values(secret)
    .onConflict((conflict) =>
      conflict.columns(["product_id", "user_id", "name"]).doUpdateSet({ ...set, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

const ofOwner = (db: Db, { productId, userId }: SecretOwner) =>
  db.selectFrom("secrets").selectAll().where("product_id", "=", productId).where("user_id", "=", userId);

export const listSecrets = (db: Db, owner: SecretOwner): Promise<SecretRow[]> =>
  ofOwner(db, owner).orderBy("name").execute();

export const findSecret = async (db: Db, { name, ...owner }: SecretKey): Promise<SecretRow | null> =>
  (await ofOwner(db, owner).where("name", "=", name).executeTakeFirst()) ?? null;

/** The secret of this name for a user: the user's own, otherwise the product's. */
export const findSecretFor = async (db: Db, { productId, userId, name }: SecretKey): Promise<SecretRow | null> =>
  (await db
    .selectFrom("secrets")
    .selectAll()
    .where("product_id", "=", productId)
    .where("user_id", "in", [userId, OF_PRODUCT])
    .where("name", "=", name)
    .orderBy("user_id", "desc")
    .limit(1)
    .executeTakeFirst()) ?? null;

/** False when there is none. */
export async function deleteSecret(trx: Trx, { productId, userId, name }: SecretKey): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("secrets")
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** With the user. */
export async function deleteSecretsOf(db: Db, { productId, userId }: SecretOwner): Promise<void> {
  if (userId === OF_PRODUCT) return;
  await db.deleteFrom("secrets").where("product_id", "=", productId).where("user_id", "=", userId).execute();
}

/** Stores the time of a use, at most once a minute. */
export async function markSecretUsed(
  db: Db,
  { product_id: productId, user_id: userId, name }: Pick<SecretRow, "product_id" | "user_id" | "name">,
): Promise<void> {
  await db
    .updateTable("secrets")
    .set({ last_used_at: sql<Date>`date_trunc('minute', now())` })
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .where("name", "=", name)
    .where((eb) =>
      eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", sql<Date>`date_trunc('minute', now())`)]),
    )
    .execute();
}

const MAX_SOURCES = 100;

/** Secrets whose values the daemon reads elsewhere, with the slugs of their products. */
export async function listSources(
  db: Db,
): Promise<readonly { readonly slug: string; readonly name: string; readonly source: string }[]> {
  const rows = await db
    .selectFrom("secrets")
    .innerJoin("products", "products.id", "secrets.product_id")
    .select(["products.slug", "secrets.name", "secrets.source"])
    .where("secrets.source", "is not", null)
    .orderBy("secrets.product_id")
    .orderBy("secrets.name")
    .limit(MAX_SOURCES)
    .execute();
  return rows.flatMap(({ source, ...row }) => (source === null ? [] : [{ ...row, source }]));
}
