import { sql } from "kysely";
import type { PolicyLayer } from "../../contract/orchestrator/engine-policy.ts";
import type { Db, Trx } from "./database.ts";
import type { EngineRow } from "./tables.ts";

export interface PlanRow {
  readonly name: string;
  readonly policy: PolicyLayer;
  readonly engines: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const plansOf = (db: Db, productId: string) =>
  db
    .selectFrom("plans")
    .select([
      "name",
      "policy",
      "created_at",
      "updated_at",
      sql<number>`(select count(*)::int from engines
        where engines.product_id = plans.product_id and engines.plan = plans.name)`.as("engines"),
    ])
    .where("product_id", "=", productId);

export const listPlans = (db: Db, productId: string): Promise<readonly PlanRow[]> =>
  plansOf(db, productId).orderBy("name").execute();

export const findPlan = async (db: Db, productId: string, name: string): Promise<PlanRow | null> =>
  (await plansOf(db, productId).where("name", "=", name).executeTakeFirst()) ?? null;

/** How many engines of a host have each plan that is had. */
export function countByPlan(
  db: Db,
  hostId: string,
): Promise<readonly { readonly product: string; readonly plan: string; readonly engines: number }[]> {
  return db
    .selectFrom("engines")
    .innerJoin("products", "products.id", "engines.product_id")
    .where("engines.host_id", "=", hostId)
    .where("engines.plan", "is not", null)
    .groupBy(["products.slug", "engines.plan"])
    .select(["products.slug as product", "engines.plan", sql<number>`count(*)::int`.as("engines")])
    .$narrowType<{ plan: string }>()
    .execute();
}

/** Creates a plan, or replaces what it sets. */
export async function putPlan(trx: Trx, productId: string, name: string, policy: PolicyLayer): Promise<void> {
  await trx
    .insertInto("plans")
    .values({ product_id: productId, name, policy: JSON.stringify(policy) })
    .onConflict((conflict) =>
      conflict
        .columns(["product_id", "name"])
        .doUpdateSet({ policy: JSON.stringify(policy), updated_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function deletePlan(trx: Trx, productId: string, name: string): Promise<void> {
  await trx.deleteFrom("plans").where("product_id", "=", productId).where("name", "=", name).execute();
}

/** Gives the engines of a plan another one. Returns them. */
export function moveEngines(
  trx: Trx,
  productId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly EngineRow[]> {
  return trx
    .updateTable("engines")
    .set({ plan: to, policy_changes: sql<number>`policy_changes + 1` })
    .where("product_id", "=", productId)
    .where("plan", "=", from)
    .returningAll()
    .execute();
}

/** Keeps a plan until the end of the transaction. False when there is none. */
export async function holdPlan(trx: Trx, productId: string, name: string): Promise<boolean> {
  const row = await trx
    .selectFrom("plans")
    .select("name")
    .where("product_id", "=", productId)
    .where("name", "=", name)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function lockEngine(trx: Trx, productId: string, userId: string): Promise<EngineRow | null> {
  const row = await trx
    .selectFrom("engines")
    .selectAll()
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** What a call changes of an engine's row. Fields left out stay. */
export interface EngineChanges {
  readonly plan?: string | null;
  readonly own_policy?: string;
  readonly metadata?: string;
}

export function changeEngineRow(trx: Trx, id: string, changes: EngineChanges): Promise<EngineRow> {
  const isPolicy = changes.plan !== undefined || changes.own_policy !== undefined;
  return trx
    .updateTable("engines")
    .set({ ...changes, ...(isPolicy && { policy_changes: sql<number>`policy_changes + 1` }) })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
