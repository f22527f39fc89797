import type { CurrentKnowledge } from "./knowledge.ts";
import { sql } from "kysely";
import { DEFAULT_POLICY, type Policy, type ProductRecord } from "../../contract/orchestrator/requests.ts";
import type { PolicyLayer } from "../../contract/orchestrator/engine-policy.ts";
import type { Db, Trx } from "./database.ts";

/** A product: its record and its sealed engine settings. */
export interface Product {
  /** The record without the engine settings, which are sealed. */
  readonly record: Omit<ProductRecord, "engine_env_values">;
  readonly sealedEngineEnv: Buffer | null;
  /** What its plans set, by name. */
  readonly plans: ReadonlyMap<string, PolicyLayer>;
  readonly catalog: CurrentCatalog;
  readonly knowledge: CurrentKnowledge;
  readonly toolHookSecrets: SealedSecrets;
}

/** Secrets that sign messages, sealed. The previous one is valid until a time. */
export interface SealedSecrets {
  readonly current: Buffer | null;
  readonly previous: Buffer | null;
  readonly previousExpiresAt: Date | null;
}

/** The current version of a product's catalog: 0 before the first one. The digest is null without a file. */
export interface CurrentCatalog {
  readonly version: number;
  readonly digest: string | null;
}

/** A stored platform key. `prefix` and `last4` identify it to people. */
export interface ProductKey {
  readonly hash: string;
  readonly prefix: string | null;
  readonly last4: string | null;
}

interface NewProduct {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly policy: Policy;
  readonly sealedEngineEnv: Buffer | null;
  readonly engineEnvNames: readonly string[];
  readonly key: ProductKey;
}

/** Inserts a product with its key. The caller must roll back after `key_taken`. */
export async function insertProduct(trx: Trx, product: NewProduct): Promise<"inserted" | "slug_taken" | "key_taken"> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto("products")
    .values({
      id: product.id,
      slug: product.slug,
      name: product.name,
      policy: JSON.stringify(product.policy),
      engine_env: product.sealedEngineEnv,
      engine_env_names: [...product.engineEnvNames],
    })
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return "slug_taken";
  const { numInsertedOrUpdatedRows: keys = 0n } = await trx
    .insertInto("product_keys")
    .values({
      hash: product.key.hash,
      product_id: product.id,
      prefix: product.key.prefix,
      last4: product.key.last4,
      expires_at: null,
    })
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .executeTakeFirst();
  return keys === 0n ? "key_taken" : "inserted";
}

/** Products with their current key. */
export const withCurrentKey = (db: Db) =>
  db
    .selectFrom("products")
    .innerJoin("product_keys as current", (join) =>
      join.onRef("current.product_id", "=", "products.id").on("current.expires_at", "is", null),
    )
    .select([
      "products.id",
      "products.slug",
      "products.name",
      "products.policy",
      "products.engine_env",
      "products.engine_env_names",
      "products.tool_hook_secret",
      "products.tool_hook_previous_secret",
      "products.tool_hook_previous_expires_at",
      "products.catalog_version",
      "products.catalog_digest",
      "products.knowledge_version",
      "products.knowledge_digest",
      "products.created_at",
      "products.updated_at",
      "products.deletion_started_at",
      sql<number | null>`case when products.deletion_started_at is not null then
        (select count(*)::int from engines where engines.product_id = products.id) end`.as("engines_left"),
      sql<Readonly<Record<string, PolicyLayer>> | null>`
        (select jsonb_object_agg(name, policy) from plans where plans.product_id = products.id)`.as("plans"),
      "current.prefix as key_prefix",
      "current.last4 as key_last4",
      "current.created_at as key_created_at",
    ]);

/** A product by id or slug. */
export async function findProduct(db: Db, idOrSlug: string): Promise<Product | null> {
  const row = await withCurrentKey(db)
    .where((eb) => eb.or([eb("products.id", "=", idOrSlug), eb("products.slug", "=", idOrSlug)]))
    .executeTakeFirst();
  return row === undefined ? null : toProduct(row);
}

/** Products in order of registration, after the id `after`. */
export async function listProducts(
  db: Db,
  { after, limit }: { after: string | null; limit: number },
): Promise<Product[]> {
  let query = withCurrentKey(db).orderBy("products.id").limit(limit);
  if (after !== null) query = query.where("products.id", ">", after);
  return (await query.execute()).map(toProduct);
}

/** The slugs of products by id, without those that are deleted. */
export async function slugsOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("products")
    .select(["id", "slug"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

interface LockedPolicy {
  readonly policy: Policy;
  readonly isBeingDeleted: boolean;
}

/** Locks the product's row, which serializes its provisions, and returns the current policy. Null when it is deleted. */
export async function lockPolicy(trx: Trx, productId: string): Promise<LockedPolicy | null> {
  const row = await trx
    .selectFrom("products")
    .select(["policy", "deletion_started_at"])
    .where("id", "=", productId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  return { policy: complete(row.policy), isBeingDeleted: row.deletion_started_at !== null };
}

/** Locks a product's row and reads the product. */
export async function lockProduct(trx: Trx, idOrSlug: string): Promise<Product | null> {
  await trx
    .selectFrom("products")
    .select("id")
    .where((eb) => eb.or([eb("id", "=", idOrSlug), eb("slug", "=", idOrSlug)]))
    .forUpdate()
    .execute();
  return findProduct(trx, idOrSlug);
}

export async function updatePolicy(
  trx: Trx,
  productId: string,
  change: {
    readonly policy: Policy;
    readonly sealedEngineEnv: Buffer | null;
    readonly engineEnvNames: readonly string[];
  },
): Promise<void> {
  await trx
    .updateTable("products")
    .set({
      policy: JSON.stringify(change.policy),
      engine_env: change.sealedEngineEnv,
      engine_env_names: [...change.engineEnvNames],
      updated_at: sql`now()`,
    })
    .where("id", "=", productId)
    .execute();
}

/** From its commit the product gets no more engines. A repeated call keeps the time of the first. */
export async function startDeletion(db: Db, productId: string): Promise<void> {
  await db
    .updateTable("products")
    .set({ deletion_started_at: sql<Date>`now()` })
    .where("id", "=", productId)
    .where("deletion_started_at", "is", null)
    .execute();
}

/** Deletes a product. False when it still has engines. */
export async function deleteProduct(trx: Trx, productId: string): Promise<boolean> {
  const engine = await trx.selectFrom("engines").select("id").where("product_id", "=", productId).executeTakeFirst();
  if (engine !== undefined) return false;
  await trx.deleteFrom("products").where("id", "=", productId).execute();
  return true;
}

export function toProduct(row: {
  id: string;
  slug: string;
  name: string | null;
  policy: Policy;
  engine_env: Buffer | null;
  engine_env_names: string[];
  tool_hook_secret: Buffer | null;
  tool_hook_previous_secret: Buffer | null;
  tool_hook_previous_expires_at: Date | null;
  catalog_version: number;
  catalog_digest: string | null;
  knowledge_version: number;
  knowledge_digest: string | null;
  created_at: Date;
  updated_at: Date;
  deletion_started_at: Date | null;
  engines_left: number | null;
  plans: Readonly<Record<string, PolicyLayer>> | null;
  key_prefix: string | null;
  key_last4: string | null;
  key_created_at: Date;
}): Product {
  return {
    record: {
      id: row.id,
      slug: row.slug,
      name: row.name,
      policy: complete(row.policy),
      engine_env_names: row.engine_env_names,
      platform_key: { prefix: row.key_prefix, last4: row.key_last4, created_at: row.key_created_at.toISOString() },
      ...(row.deletion_started_at !== null && {
        deletion: { started_at: row.deletion_started_at.toISOString(), engines_left: row.engines_left ?? 0 },
      }),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    },
    sealedEngineEnv: row.engine_env,
    plans: new Map(Object.entries(row.plans ?? {})),
    catalog: { version: row.catalog_version, digest: row.catalog_digest },
    knowledge: { version: row.knowledge_version, digest: row.knowledge_digest },
    toolHookSecrets: {
      current: row.tool_hook_secret,
      previous: row.tool_hook_previous_secret,
      previousExpiresAt: row.tool_hook_previous_expires_at,
    },
  };
}

/** Adds the defaults of fields that are newer than the stored policy. */
const complete = (stored: Partial<Policy>): Policy => ({ ...DEFAULT_POLICY, ...stored });

/** The origins of pages that any product allows. */
export async function findAllowedOrigins(db: Db): Promise<ReadonlySet<string>> {
  const origins = sql<string>`jsonb_array_elements_text(coalesce(policy -> 'allowed_origins', '[]'))`;
  const rows = await db.selectFrom("products").select(origins.as("origin")).distinct().execute();
  return new Set(rows.map(({ origin }) => origin));
}
