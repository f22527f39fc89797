import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";
import type { EngineRow } from "./tables.ts";

/** The host of this daemon and its ports for engines, bounds included. */
export interface PortRange {
  readonly hostId: string;
  readonly min: number;
  readonly max: number;
  /** Seconds before a released port is reused, since old clients may still connect to it. */
  readonly reuseDelayS: number;
}

/** How long a port is not used after another program was found on it. */
const QUARANTINE_S = 60;

/** Inserts the missing ports of the range. */
export async function preparePorts(db: Db, { hostId, min, max }: PortRange): Promise<void> {
  await sql`
    insert into ports (host_id, port) select ${hostId}, port from generate_series(${min}::int, ${max}::int) as port
    on conflict do nothing`.execute(db);
}

/**
 * Takes the least recently released free port for an engine, or returns null. Without an engine the port is only locked
 * until the transaction ends.
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
        // Concurrent provisions take different ports instead of waiting for each other.
        .forUpdate()
        .skipLocked(),
    )
    .returning("port")
    .executeTakeFirst();
  return taken?.port ?? null;
}

/** Seconds until a released or quarantined port is free, or null when engines have all ports. */
export async function soonestPort(db: Db, { hostId, min, max, reuseDelayS }: PortRange): Promise<number | null> {
  const { rows } = await sql<{ wait_s: number | null }>`
    select extract(epoch from
      min(greatest(released_at + make_interval(secs => ${reuseDelayS}), quarantined_until)) - now())::float as wait_s
    from ports
    where host_id = ${hostId} and port between ${min} and ${max} and engine_id is null`.execute(db);
  const wait = rows[0]?.wait_s ?? null;
  return wait === null ? null : Math.max(0, wait);
}

interface PortUse {
  readonly total: number;
  readonly taken: number;
  /** Released, but not reusable yet. */
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
 * Gives an engine another port and quarantines the old one, on which another program listens. Null when no port is free
 * or another operation changed the engine.
 */
export function changePort(
  db: Db,
  { id, incarnation, port }: Pick<EngineRow, "id" | "incarnation" | "port">,
  { range, events }: { readonly range: PortRange; readonly events: EventLog },
): Promise<EngineRow | null> {
  return db.transaction().execute(async (trx) => {
    // The new port is taken before the old one is released, so that they differ.
    const taken = await takePort(trx, null, range);
    if (taken === null) return null;
    const row = await trx
      .updateTable("engines")
      // The user id belongs to the port: another daemon's engine on the old port may have it.
      .set({ port: taken, uid: null })
      .where("id", "=", id)
      .where("incarnation", "=", incarnation)
      .where((eb) =>
        eb.or([
          eb("state", "in", ["provisioning", "starting"]),
          eb.and([eb("state", "=", "sleeping"), eb("handle", "is", null)]),
        ]),
      )
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
