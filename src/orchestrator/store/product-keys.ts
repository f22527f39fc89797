import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import { type Product, toProduct, withCurrentKey } from "./products.ts";

/** A key of a product; `expiresAt` is null for the current one. */
export interface ProductByKey {
  readonly product: Product;
  readonly expiresAt: Date | null;
}

/** The products of key hashes, by hash, even of keys that have expired. */
export async function findProductsByKeyHash(
  db: Db,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, ProductByKey>> {
  const rows = await withCurrentKey(db)
    .innerJoin("product_keys as presented", "presented.product_id", "products.id")
    .select(["presented.hash", "presented.expires_at"])
    .where("presented.hash", "in", hashes)
    .execute();
  return new Map(rows.map((row) => [row.hash, { product: toProduct(row), expiresAt: row.expires_at }]));
}

/** Makes `key` the current one. The old one stays valid for `graceS` seconds. False when another product has the hash. */
export async function replaceProductKey(
  trx: Trx,
  productId: string,
  { hash, prefix, last4, graceS }: { hash: string; prefix: string | null; last4: string | null; graceS: number },
): Promise<boolean> {
  await trx
    .updateTable("product_keys")
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${graceS})` })
    .where("product_id", "=", productId)
    .where("expires_at", "is", null)
    .execute();
  await trx
    .deleteFrom("product_keys")
    .where("expires_at", "<=", sql<Date>`now()`)
    .execute();
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto("product_keys")
    .values({ hash, product_id: productId, prefix, last4, expires_at: null })
    // An operator may return to a key that is still in its grace period.
    .onConflict((conflict) =>
      conflict
        .column("hash")
        .doUpdateSet({ expires_at: null, prefix, last4 })
        .where("product_keys.product_id", "=", productId),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}
