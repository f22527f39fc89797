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
  /** Whether engines listen on them. False: the backend gives each engine an address of its own. */
  readonly isUsed: boolean;
}

/** How long a port is not used after another program was found on it. */
const QUARANTINE_S = 60;

/** No free port is left for an engine that needs one. */
export class TooFewPorts extends Error {
  override readonly name = "TooFewPorts";

  constructor({ min, max }: Pick<PortRange, "min" | "max">) {
    super(`ORCH_PORT_MIN..ORCH_PORT_MAX (${min}..${max}) has too few ports for the engines; widen it`);
  }
}

/**
 * Inserts the missing ports of the range, and gives one to each engine that another backend has left without. Throws
 * {@link TooFewPorts}. Where ports are not used, the engines of the host get none, also those that had one.
 */
export function preparePorts(db: Db, range: PortRange): Promise<void> {
  return db.transaction().execute(async (trx) => {
    if (!range.isUsed) return releaseAll(trx, range.hostId);
    const { hostId, min, max } = range;
    await sql`
      insert into ports (host_id, port) select ${hostId}, port from generate_series(${min}::int, ${max}::int) as port
      on conflict do nothing`.execute(trx);
    const without = await trx
      .selectFrom("engines")
      .select("id")
      .where("host_id", "=", hostId)
      .where("port", "is", null)
      .execute();
    for (const { id } of without) {
      const port = await takePort(trx, id, range);
      if (port === null) throw new TooFewPorts(range);
      await trx.updateTable("engines").set({ port }).where("id", "=", id).execute();
    }
  });
}

async function releaseAll(trx: Trx, hostId: string): Promise<void> {
  await trx
    .updateTable("engines")
    .set({ port: null })
    .where("host_id", "=", hostId)
    .where("port", "is not", null)
    .execute();
  await trx.deleteFrom("ports").where("host_id", "=", hostId).execute();
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
