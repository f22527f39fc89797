import { hasCode } from "../../shared/error-code.ts";
import { sql } from "kysely";
import type { Db } from "./database.ts";
import type { EngineRow } from "./tables.ts";

/** The user ids of a host's engines, bounds included. */
export interface UidRange {
  readonly min: number;
  readonly max: number;
}

const UNIQUE_VIOLATION = "23505";
/** Each attempt fails only when another engine took the same id in the same moment. */
const ATTEMPTS = 20;

/** Every user id of the range belongs to another engine of the host. */
export class NoFreeUser extends Error {
  override readonly name = "NoFreeUser";
}

/**
 * Assigns a starting engine a user id of the range, or removes it if there is no range. A valid id does not change.
 * Returns null when another operation changed the engine. Throws {@link NoFreeUser}.
 */
export async function assignUser(
  db: Db,
  engine: EngineRow,
  range: (UidRange & { readonly preferred: number }) | null,
): Promise<EngineRow | null> {
  const { uid } = engine;
  if (range === null ? uid === null : uid !== null && uid >= range.min && uid <= range.max) return engine;
  for (let attempt = 1; ; attempt++) {
    try {
      const row = await update(db, engine, range);
      if (row !== null && range !== null && row.uid === null) throw new NoFreeUser("no user id is free");
      return row;
    } catch (error) {
      if (!hasCode(error, UNIQUE_VIOLATION) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function update(
  db: Db,
  { id, incarnation, host_id: host }: EngineRow,
  range: (UidRange & { readonly preferred: number }) | null,
): Promise<EngineRow | null> {
  // The preferred id is nearly always free, so that the range is rarely searched.
  const free = (from: number, to: number) => sql<number>`
    (select uid from generate_series(${from}::int, ${to}::int) as uid
     where not exists (select from engines where host_id = ${host} and engines.uid = uid.uid) limit 1)`;
  const uid = range && sql<number>`coalesce(${free(range.preferred, range.preferred)}, ${free(range.min, range.max)})`;
  const row = await db
    .updateTable("engines")
    .set({ uid })
    .where("id", "=", id)
    .where("incarnation", "=", incarnation)
    .where("state", "in", ["provisioning", "starting"])
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
