import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";

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

/** Takes a free port for an engine, the one that has been free for longest; null when there is none. */
export async function takePort(trx: Trx, engineId: string, { hostId, min, max }: PortRange): Promise<number | null> {
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
