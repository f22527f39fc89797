import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";
import type { EngineRow } from "./tables.ts";

/** Where this daemon's engines live: its host, and the ports it may give them, bounds included. */
export interface PortRange {
  readonly hostId: string;
  readonly min: number;
  readonly max: number;
  /** Seconds a port rests before another engine gets it: its old clients may still try it. */
  readonly reuseDelayS: number;
}

/** How long a port is left alone on which another program was seen. */
const QUARANTINE_S = 60;

/** Writes down every port of the range that is not known yet. */
export async function preparePorts(db: Db, { hostId, min, max }: PortRange): Promise<void> {
  await sql`
    insert into ports (host_id, port) select ${hostId}, port from generate_series(${min}::int, ${max}::int) as port
    on conflict do nothing`.execute(db);
}

/**
 * Takes a free port for an engine, the one that has been free for longest; null when there is none. Without an engine
 * it is only locked, until the transaction ends.
 */
export async function takePort(
  trx: Trx,
  engineId: string | null,
  { hostId, min, max, reuseDelayS }: PortRange,
): Promise<number | null> {
  const taken = await trx
    .updateTable("ports")
    .set({ engine_id: engineId })
    .where("host_id", "=", hostId)
    .where("port", "=", (eb) =>
      eb
        .selectFrom("ports")
        .select("port")
        .where("host_id", "=", hostId)
        .where("engine_id", "is", null)
        .where("port", ">=", min)
        .where("port", "<=", max)
        .where("released_at", "<=", sql<Date>`now() - make_interval(secs => ${reuseDelayS})`)
        .where("quarantined_until", "<=", sql<Date>`now()`)
        .orderBy("released_at")
        .orderBy("port")
        .limit(1)
        // Two products that provision at once take two ports instead of waiting for each other.
        .forUpdate()
        .skipLocked(),
    )
    .returning("port")
    .executeTakeFirst();
  return taken?.port ?? null;
}

/** Seconds until a port that rests or is in quarantine can be taken; null when every one is taken. */
export async function soonestPort(db: Db, { hostId, min, max, reuseDelayS }: PortRange): Promise<number | null> {
  const { rows } = await sql<{ wait_s: number | null }>`
    select extract(epoch from
      min(greatest(released_at + make_interval(secs => ${reuseDelayS}), quarantined_until)) - now())::float as wait_s
    from ports
    where host_id = ${hostId} and port between ${min} and ${max} and engine_id is null`.execute(db);
  const wait = rows[0]?.wait_s ?? null;
  return wait === null ? null : Math.max(0, wait);
}

export interface PortUse {
  readonly total: number;
  readonly taken: number;
  /** Free, but not to be given yet. */
  readonly resting: number;
  readonly quarantined: number;
}

export async function portUse(db: Db, { hostId, min, max, reuseDelayS }: PortRange): Promise<PortUse> {
  const { rows } = await sql<PortUse>`
    select count(*)::int as total,
      count(engine_id)::int as taken,
      (count(*) filter (where engine_id is null and quarantined_until <= now()
        and released_at > now() - make_interval(secs => ${reuseDelayS})))::int as resting,
      (count(*) filter (where engine_id is null and quarantined_until > now()))::int as quarantined
    from ports where host_id = ${hostId} and port between ${min} and ${max}`.execute(db);
  return rows[0] ?? { total: 0, taken: 0, resting: 0, quarantined: 0 };
}

/**
 * Gives an engine another port, because a program that is not ours has the one it was given; that one goes into
 * quarantine. Null when there is no other, or the engine has moved on.
 */
export function changePort(
  db: Db,
  { id, incarnation, port }: Pick<EngineRow, "id" | "incarnation" | "port">,
  { range, events }: { readonly range: PortRange; readonly events: EventLog },
): Promise<EngineRow | null> {
  return db.transaction().execute(async (trx) => {
    // The new one is taken before the old one is given back, or it might be the same.
    const taken = await takePort(trx, null, range);
    if (taken === null) return null;
    const row = await trx
      .updateTable("engines")
      .set({ port: taken })
      .where("id", "=", id)
      .where("incarnation", "=", incarnation)
      .where("state", "in", ["provisioning", "starting"])
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    await trx
      .updateTable("ports")
      .set({ engine_id: null, quarantined_until: sql<Date>`now() + make_interval(secs => ${QUARANTINE_S})` })
      .where("engine_id", "=", id)
      .execute();
    await trx
      .updateTable("ports")
      .set({ engine_id: id })
      .where("host_id", "=", range.hostId)
      .where("port", "=", taken)
      .execute();
    await events.insert(trx, { type: "host.port_taken", engine: row, data: { port, next_port: taken } });
    return row;
  });
}
