import { sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { StoredKey } from "../../contract/orchestrator/api-keys.ts";
import type { Db, Trx } from "./database.ts";
import type { EngineRow } from "./tables.ts";

interface NewEngine {
  readonly id: string;
  readonly productId: string;
  readonly userId: string;
  readonly hostId: string;
  readonly port: number | null;
  readonly incarnation: string;
  readonly key: StoredKey;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly plan: string | null;
  readonly desiredState: "running" | "stopped";
  readonly deadlineAt: Date;
}

/** Inserts an engine that is being provisioned. */
export async function insertEngine(trx: Trx, engine: NewEngine): Promise<EngineRow> {
  return trx
    .insertInto("engines")
    .values({
      id: engine.id,
      product_id: engine.productId,
      user_id: engine.userId,
      host_id: engine.hostId,
      state: "provisioning",
      desired_state: engine.desiredState,
      provisioned: false,
      deadline_at: engine.deadlineAt,
      port: engine.port,
      incarnation: engine.incarnation,
      key_hash: engine.key.hash,
      key_prefix: engine.key.prefix,
      key_last4: engine.key.last4,
      metadata: JSON.stringify(engine.metadata),
      plan: engine.plan,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findEngine(db: Db, productId: string, userId: string): Promise<EngineRow | null> {
  const row = await db
    .selectFrom("engines")
    .selectAll()
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findEngineById(db: Db, id: string): Promise<EngineRow | null> {
  return (await db.selectFrom("engines").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export async function findEnginesById(db: Db, ids: readonly string[]): Promise<readonly EngineRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom("engines")
    .selectAll()
    .where("id", "=", sql<string>`any(${ids})`)
    .execute();
}

/** What the gateway needs of an engine's row. */
export type EngineEndpoint = Pick<EngineRow, "port" | "handle" | "state" | "next_restart_at">;

export async function findEngineEndpoints(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EngineEndpoint>> {
  const columns = ["id", "port", "handle", "state", "next_restart_at"] as const;
  const rows = await db.selectFrom("engines").select(columns).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Like {@link findEngineById}, after concurrent transactions on the row. For writes with an unknown outcome. */
export async function findSettledEngine(db: Db, id: string): Promise<EngineRow | null> {
  return (await db.selectFrom("engines").selectAll().where("id", "=", id).forShare().executeTakeFirst()) ?? null;
}

/** Counts all engines of a product, engines being provisioned included. */
export async function countEngines(trx: Trx, productId: string): Promise<number> {
  const { count } = await trx
    .selectFrom("engines")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("product_id", "=", productId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Engines in order of creation, of one product or of all, after the id `after`. */
export async function listEngines(
  db: Db,
  filter: {
    readonly productId: string | null;
    readonly state: EngineState | null;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<EngineRow[]> {
  let query = db.selectFrom("engines").selectAll().orderBy("id").limit(filter.limit);
  if (filter.productId !== null) query = query.where("product_id", "=", filter.productId);
  if (filter.state !== null) query = query.where("state", "=", filter.state);
  if (filter.after !== null) query = query.where("id", ">", filter.after);
  return query.execute();
}

export async function listEnginesOfProduct(db: Db, productId: string): Promise<EngineRow[]> {
  return db.selectFrom("engines").selectAll().where("product_id", "=", productId).orderBy("id").execute();
}

/** Makes `key` the engine's key. The previous one is valid until `previousExpiresAt`. Null unless it is running or asleep. */
export async function replaceEngineKey(
  trx: Trx,
  {
    id,
    incarnation,
    key,
    previousExpiresAt,
  }: { id: string; incarnation: string; key: StoredKey; previousExpiresAt: Date },
): Promise<EngineRow | null> {
  const row = await trx
    .updateTable("engines")
    .set((eb) => ({
      previous_key_hash: eb.ref("key_hash"),
      previous_key_expires_at: previousExpiresAt,
      key_hash: key.hash,
      key_prefix: key.prefix,
      key_last4: key.last4,
      key_created_at: sql<Date>`now()`,
    }))
    .where("id", "=", id)
    .where("incarnation", "=", incarnation)
    .where((eb) =>
      eb.or([
        eb("state", "in", ["running", "unhealthy"]),
        eb.and([eb("state", "=", "sleeping"), eb("handle", "is", null)]),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Stores `last_active_at`. A later time is never replaced by an earlier one. */
export async function storeActivity(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable("engines")
    .set({ last_active_at: at })
    .where("id", "=", id)
    .where((eb) => eb.or([eb("last_active_at", "is", null), eb("last_active_at", "<", at)]))
    .execute();
}
