import { type Insertable, type Updateable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { ScheduleRow, SchedulesTable } from "./schedule-tables.ts";

export const insertSchedule = (trx: Trx, schedule: Insertable<SchedulesTable>): Promise<ScheduleRow> =>
  trx.insertInto("schedules").values(schedule).returningAll().executeTakeFirstOrThrow();

/** Null when the engine has no schedule with this id. */
export async function findSchedule(db: Db, engineId: string, id: string): Promise<ScheduleRow | null> {
  const row = await db
    .selectFrom("schedules")
    .selectAll()
    .where("engine_id", "=", engineId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Like {@link findSchedule}; also locks the row. */
export async function lockSchedule(trx: Trx, engineId: string, id: string): Promise<ScheduleRow | null> {
  const row = await trx
    .selectFrom("schedules")
    .selectAll()
    .where("engine_id", "=", engineId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Schedules of an engine in order of creation, after the id `after`. */
export async function listSchedules(
  db: Db,
  { engineId, after, limit }: { readonly engineId: string; readonly after: string | null; readonly limit: number },
): Promise<ScheduleRow[]> {
  let query = db.selectFrom("schedules").selectAll().where("engine_id", "=", engineId).orderBy("id").limit(limit);
  if (after !== null) query = query.where("id", ">", after);
  return query.execute();
}

export async function updateSchedule(trx: Trx, id: string, set: Updateable<SchedulesTable>): Promise<ScheduleRow> {
  return trx
    .updateTable("schedules")
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteSchedule(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom("schedules").where("id", "=", id).execute();
}

/** Counts an engine's schedules and webhooks. The row lock on the engine serializes their creation. */
export async function countSchedules(trx: Trx, engineId: string): Promise<number> {
  await trx.selectFrom("engines").select("id").where("id", "=", engineId).forUpdate().execute();
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from schedules where engine_id = ${engineId})
      + (select count(*) from webhooks where engine_id = ${engineId}))::int as count`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** In how many milliseconds the next schedule of a host is due, by the database's clock. Null when none is. */
export async function msUntilDue(db: Db, hostId: string): Promise<number | null> {
  const row = await db
    .selectFrom("schedules")
    .select(sql<number>`(extract(epoch from next_due - now()) * 1000)::float8`.as("ms"))
    .where("host_id", "=", hostId)
    .where("next_due", "is not", null)
    .orderBy("next_due")
    .limit(1)
    .executeTakeFirst();
  return row?.ms ?? null;
}

export interface DueScheduleRow extends ScheduleRow {
  /** The number of its runs that have not started. */
  readonly waiting: number;
  /** The database's time: daemons whose clocks differ agree on what is due. */
  readonly now: Date;
}

/** The schedules of a host that are due by the database's clock, earliest due time first. */
export async function listDue(
  db: Db,
  { hostId, limit }: { readonly hostId: string; readonly limit: number },
): Promise<DueScheduleRow[]> {
  return db
    .selectFrom("schedules")
    .selectAll("schedules")
    .select(sql<Date>`now()`.as("now"))
    .select((eb) =>
      eb
        .selectFrom("scheduled_runs")
        .select(sql<number>`count(*)::int`.as("count"))
        .whereRef("schedule_id", "=", "schedules.id")
        .where("state", "=", "waiting")
        .$asScalar()
        .$notNull()
        .as("waiting"),
    )
    .where("host_id", "=", hostId)
    .where("next_due", "<=", sql<Date>`now()`)
    .orderBy("next_due")
    .limit(limit)
    .execute();
}

/** Sets the next due times of schedules that have not changed since they were read. Returns the ids of those. */
export async function advanceDue(
  trx: Trx,
  moves: readonly { readonly id: string; readonly due: Date; readonly next: Date | null }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    update schedules set next_due = moved.next
    from json_to_recordset(${JSON.stringify(moves)}::json) as moved(id text, due timestamptz, next timestamptz)
    where schedules.id = moved.id and schedules.next_due = moved.due
    returning schedules.id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}
