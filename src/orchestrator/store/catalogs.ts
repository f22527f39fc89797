import { sql } from "kysely";
import type { CatalogFile, CatalogVersion } from "../../contract/orchestrator/catalog.ts";
import type { Db, Trx } from "./database.ts";
import { origin } from "./events.ts";
import type { CurrentCatalog } from "./products.ts";

/** A version with its files. */
interface StoredCatalog extends CurrentCatalog {
  readonly files: readonly CatalogFile[];
  readonly bytes: number;
  readonly restoredFrom: number | null;
}

/** Locks the product's row, which serializes its pushes. Null when the product is deleted. */
export async function lockCatalog(trx: Trx, productId: string): Promise<CurrentCatalog | null> {
  const row = await trx
    .selectFrom("products")
    .select(["catalog_version", "catalog_digest"])
    .where("id", "=", productId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : { version: row.catalog_version, digest: row.catalog_digest };
}

/** Stores an archive under the digest of its files. The same files are stored once. */
export async function insertArchive(
  trx: Trx,
  productId: string,
  { digest, sealed }: { readonly digest: string; readonly sealed: Buffer },
): Promise<void> {
  await trx
    .insertInto("catalog_archives")
    .values({ product_id: productId, digest, archive: sealed })
    .onConflict((conflict) => conflict.columns(["product_id", "digest"]).doNothing())
    .execute();
}

/** Makes a version the current one. Its number is the next one. */
export async function insertVersion(trx: Trx, productId: string, stored: StoredCatalog): Promise<void> {
  const { version, digest, files, bytes, restoredFrom } = stored;
  await trx
    .insertInto("catalog_versions")
    .values({
      product_id: productId,
      version,
      digest,
      files: JSON.stringify(files),
      bytes,
      restored_from: restoredFrom,
      actor: origin().actor,
    })
    .execute();
  await trx
    .updateTable("products")
    .set({ catalog_version: version, catalog_digest: digest })
    .where("id", "=", productId)
    .execute();
}

/** Removes all but the newest `kept` versions, and archives that no version has. */
export async function pruneVersions(trx: Trx, productId: string, kept: number): Promise<void> {
  await trx
    .deleteFrom("catalog_versions")
    .where("product_id", "=", productId)
    .where("version", "<=", (eb) =>
      eb
        .selectFrom("products")
        .select(sql<number>`catalog_version - ${kept}`.as("oldest"))
        .where("id", "=", productId),
    )
    .execute();
  await trx
    .deleteFrom("catalog_archives")
    .where("product_id", "=", productId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("catalog_versions")
            .select("version")
            .whereRef("catalog_versions.product_id", "=", "catalog_archives.product_id")
            .whereRef("catalog_versions.digest", "=", "catalog_archives.digest"),
        ),
      ),
    )
    .execute();
}

/** A stored version with its files. Null if it does not exist or has been removed. */
export async function findVersion(
  db: Db,
  productId: string,
  version: number,
): Promise<(CatalogVersion & { readonly list: readonly CatalogFile[] }) | null> {
  const row = await db
    .selectFrom("catalog_versions")
    .selectAll()
    .where("product_id", "=", productId)
    .where("version", "=", version)
    .executeTakeFirst();
  return row === undefined ? null : { ...toVersion({ ...row, count: row.files.length }), list: row.files };
}

/** The newest first. */
export async function listVersions(db: Db, productId: string): Promise<CatalogVersion[]> {
  const rows = await db
    .selectFrom("catalog_versions")
    .select(["version", "digest", "bytes", "restored_from", "actor", "created_at"])
    .select(sql<number>`jsonb_array_length(files)`.as("count"))
    .where("product_id", "=", productId)
    .orderBy("version", "desc")
    .execute();
  return rows.map(toVersion);
}

/** The sealed archive of a digest. */
export async function findArchive(db: Db, productId: string, digest: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom("catalog_archives")
    .select("archive")
    .where("product_id", "=", productId)
    .where("digest", "=", digest)
    .executeTakeFirst();
  return row?.archive ?? null;
}

/** The digests of the current versions, by product. */
export async function currentDigests(db: Db): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db.selectFrom("products").select(["id", "catalog_digest"]).execute();
  return new Map(rows.map(({ id, catalog_digest: digest }) => [id, digest]));
}

const toVersion = (row: {
  version: number;
  digest: string | null;
  bytes: number;
  count: number;
  restored_from: number | null;
  actor: CatalogVersion["actor"];
  created_at: Date;
}): CatalogVersion => ({
  version: row.version,
  digest: row.digest,
  bytes: row.bytes,
  files: row.count,
  restored_from: row.restored_from,
  created_at: row.created_at.toISOString(),
  actor: row.actor,
});
