import { sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { WatchedEngine } from "../rules/engine-warning.ts";
import type { Db } from "./database.ts";
import type { EngineRow } from "./tables.ts";

/** All engines of this host, most recently used first. */
export async function listEnginesOfHost(db: Db, hostId: string): Promise<EngineRow[]> {
  return db
    .selectFrom("engines")
    .selectAll()
    .where("host_id", "=", hostId)
    .orderBy(sql`last_active_at desc nulls last`)
    .orderBy("id")
    .execute();
}

/** An engine that needs supervision or an operation (`isActive`), or is in a state past its deadline, or both. */
interface UnsettledEngine {
  readonly id: string;
  readonly incarnation: string;
  readonly state: EngineState;
  readonly isActive: boolean;
  readonly isOverdue: boolean;
}

/** One query, because it runs every two seconds: queries are most of what an idle daemon does. */
export async function listUnsettled(db: Db, hostId: string): Promise<UnsettledEngine[]> {
  const isActive = sql<boolean>`state not in ('stopped', 'failed', 'stop_failed')
    and (state <> 'sleeping' or handle is not null)`;
  const isOverdue = sql<boolean>`coalesce(deadline_at < now(), false)`;
  return db
    .selectFrom("engines")
    .select(["id", "incarnation", "state", isActive.as("isActive"), isOverdue.as("isOverdue")])
    .where("host_id", "=", hostId)
    .where(sql<boolean>`(${isActive} or ${isOverdue})`)
    .execute();
}

/** Engines of this host in a state past its deadline. */
export async function listOverdue(db: Db, hostId: string): Promise<EngineRow[]> {
  return db
    .selectFrom("engines")
    .selectAll()
    .where("host_id", "=", hostId)
    .where("deadline_at", "<", sql<Date>`now()`)
    .orderBy("deadline_at")
    .execute();
}

/** The current incarnation of each engine of this host that may have a process. */
export async function listIncarnations(
  db: Db,
  hostId: string,
): Promise<readonly { readonly id: string; readonly uid: number | null }[]> {
  // All of 10,000 engines took the daemon 7 ms of CPU time, and most of them rest.
  return db
    .selectFrom("engines")
    .select(["incarnation as id", "uid"])
    .where("host_id", "=", hostId)
    .where((eb) => eb.or([eb("handle", "is not", null), eb("state", "not in", ["sleeping", "stopped", "failed"])]))
    .execute();
}

/** Counts the running engines of this host by the version of their process. */
export async function countByVersion(db: Db, hostId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("engines")
    .select(["version", sql<number>`count(*)::int`.as("count")])
    .where("host_id", "=", hostId)
    .where("state", "in", ["running", "unhealthy"])
    .groupBy("version")
    .execute();
  return new Map(rows.map(({ version, count }) => [version ?? "an unknown version", count]));
}

/** Counts those of these engines whose process started before a time. */
export async function countStartedBefore(db: Db, ids: readonly string[], time: Date): Promise<number> {
  if (ids.length === 0) return 0;
  const { count } = await db
    .selectFrom("engines")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("id", "in", ids)
    .where("state", "in", ["running", "unhealthy"])
    .where("started_at", "<", time)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Engines of this host in a state that needs a person, or with at least `crashes` crashes in a restart window that began
 * after `since`; the newest crash first.
 */
export async function listTroubledEngines(
  db: Db,
  hostId: string,
  { crashes, since, limit }: { readonly crashes: number; readonly since: Date; readonly limit: number },
): Promise<WatchedEngine[]> {
  return db
    .selectFrom("engines")
    .innerJoin("products", "products.id", "engines.product_id")
    .select(["products.slug as product", "user_id", "state", "restart_count", "restart_window_started_at"])
    .select(["stop_reason", "last_error"])
    .where("host_id", "=", hostId)
    .where((eb) =>
      eb.or([
        eb("state", "in", ["failed", "stop_failed", "unhealthy", "backoff"]),
        eb.and([eb("restart_count", ">=", crashes), eb("restart_window_started_at", ">", since)]),
      ]),
    )
    .orderBy(sql`last_error->>'at' desc nulls last`)
    .limit(limit)
    .execute();
}

/** Counts the engines of this host by state. */
export async function countByState(db: Db, hostId: string): Promise<ReadonlyMap<EngineState, number>> {
  const rows = await db
    .selectFrom("engines")
    .select(["state", sql<number>`count(*)::int`.as("count")])
    .where("host_id", "=", hostId)
    .groupBy("state")
    .execute();
  return new Map(rows.map(({ state, count }) => [state, count]));
}

/** The ids and owners of this host's engines. */
export async function ownersOfEngines(
  db: Db,
  hostId: string,
): Promise<Pick<EngineRow, "id" | "product_id" | "user_id">[]> {
  const columns = ["id", "product_id", "user_id"] as const;
  return db.selectFrom("engines").select(columns).where("host_id", "=", hostId).orderBy("id").execute();
}

/** Backends other than this one whose processes are recorded for engines of this host. */
export async function listOtherBackends(
  db: Db,
  hostId: string,
  backend: string,
): Promise<{ readonly name: string; readonly engines: number }[]> {
  return db
    .selectFrom("engines")
    .select([sql<string>`handle ->> 'backend'`.as("name"), sql<number>`count(*)::int`.as("engines")])
    .where("host_id", "=", hostId)
    .where("handle", "is not", null)
    .where(sql<boolean>`handle ->> 'backend' <> ${backend}`)
    .groupBy("name")
    .execute();
}
