import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { EngineRow } from "./tables.ts";

/** Where this daemon's engines live: its host, and the ports it may give them, bounds included. */
export interface PortRange {
  readonly hostId: string;
  readonly min: number;
  readonly max: number;
}

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
  { hostId, min, max }: PortRange,
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

/**
 * Gives an engine another port, because a program that is not ours has the one it was given; that one goes to the end
 * of the queue. Null when there is no other, or the engine has moved on.
 */
export function changePort(
  db: Db,
  { id, incarnation }: Pick<EngineRow, "id" | "incarnation">,
  range: PortRange,
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
    await trx.updateTable("ports").set({ engine_id: null }).where("engine_id", "=", id).execute();
    await trx
      .updateTable("ports")
      .set({ engine_id: id })
      .where("host_id", "=", range.hostId)
      .where("port", "=", taken)
      .execute();
    return row;
  });
}
