import { type Insertable, sql } from "kysely";
import { KEPT_RUNS, OPEN_RUN_STATES, type RunState } from "../../contract/orchestrator/schedule-runs.ts";
import type { Db } from "./database.ts";
import type { RunRow, ScheduledRunsTable } from "./schedule-tables.ts";

/** Runs of a webhook are kept at least this long, so that a message resent within the tolerance is recognised. */
const WEBHOOK_KEPT_S = 900;

export type NewRun = Omit<Insertable<ScheduledRunsTable>, "created_at">;

/** Inserts the runs that do not exist yet. Returns those it inserted. */
export async function insertRuns(db: Db, runs: readonly NewRun[]): Promise<RunRow[]> {
  if (runs.length === 0) return [];
  return db
    .insertInto("scheduled_runs")
    .values([...runs])
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
}

export async function findRun(db: Db, id: string): Promise<RunRow | null> {
  return (await db.selectFrom("scheduled_runs").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** The run of a webhook's message. */
export async function findRunOfMessage(db: Db, webhookId: string, key: string): Promise<RunRow | null> {
  const row = await db
    .selectFrom("scheduled_runs")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("key", "=", key)
    .executeTakeFirst();
  return row ?? null;
}

/** Runs that have not ended, in order of their ids, after the id `after`. */
export async function listOpenRuns(
  db: Db,
  { hostId, after, limit }: { readonly hostId: string; readonly after: string; readonly limit: number },
): Promise<RunRow[]> {
  return db
    .selectFrom("scheduled_runs")
    .selectAll()
    .where("host_id", "=", hostId)
    .where("ended_at", "is", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export interface RunOwner {
  readonly column: "schedule_id" | "webhook_id";
  readonly id: string;
}

/** Runs of a schedule or webhook, the newest first, before the id `before`. */
export async function listRuns(
  db: Db,
  { owner, before, limit }: { readonly owner: RunOwner; readonly before: string | null; readonly limit: number },
): Promise<RunRow[]> {
  let query = db.selectFrom("scheduled_runs").selectAll().where(owner.column, "=", owner.id);
  if (before !== null) query = query.where("id", "<", before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** The newest run of each of these schedules or webhooks, by their ids. */
export async function lastRuns(
  db: Db,
  column: RunOwner["column"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("scheduled_runs")
    .selectAll()
    .distinctOn(column)
    .where(column, "in", ids)
    .orderBy(column)
    .orderBy("id", "desc")
    .execute();
  return new Map(rows.map((row) => [row[column] ?? "", row]));
}

interface RunMove {
  readonly id: string;
  readonly to: RunState;
  /** The request to a person that the turn waits for. No move when it is already recorded. */
  readonly requestId?: string | null;
  readonly turnId?: string;
  readonly error: string | null;
  readonly at: Date;
}

/**
 * The only writer of run states. The update is conditional: of two concurrent moves one wins, and the other returns null.
 * An ended run does not change.
 */
export async function moveRun(db: Db, { id, to, requestId, turnId, error, at }: RunMove): Promise<RunRow | null> {
  const isOpen = (OPEN_RUN_STATES as readonly RunState[]).includes(to);
  let update = db
    .updateTable("scheduled_runs")
    .set((eb) => ({
      state: to,
      error,
      ...(requestId !== undefined && { request_id: requestId }),
      ...(turnId !== undefined && { turn_id: turnId, started_at: eb.fn.coalesce("started_at", eb.val(at)) }),
      ...(!isOpen && { ended_at: at, request: null }),
    }))
    .where("id", "=", id)
    .where("state", "in", OPEN_RUN_STATES);
  if (requestId !== undefined)
    update = update.where((eb) => eb.or([eb("state", "!=", to), eb("request_id", "is distinct from", requestId)]));
  return (await update.returningAll().executeTakeFirst()) ?? null;
}

/** Removes ended runs beyond the newest of a schedule or webhook. */
export async function pruneRuns(db: Db, { schedule_id, webhook_id }: Pick<RunRow, "schedule_id" | "webhook_id">) {
  const [column, id] = schedule_id === null ? ["webhook_id", webhook_id] : ["schedule_id", schedule_id];
  await sql`
    delete from scheduled_runs where id in (
      select id from scheduled_runs
      where ${sql.ref(column)} = ${id} and ended_at is not null
      order by id desc offset ${KEPT_RUNS}
    ) and (webhook_id is null or created_at < now() - make_interval(secs => ${WEBHOOK_KEPT_S}))`.execute(db);
}
