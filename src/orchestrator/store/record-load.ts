import { sql } from "kysely";
import { appendAudit } from "./audit-log.ts";
import type { Db, Trx } from "./database.ts";
import { EventLog } from "./events.ts";
import { TooFewPorts } from "./ports.ts";
import { RECORD_TABLES, type RecordBatch } from "./record-dump.ts";

/** Whether no table of a backup has rows. `db` is migrated, perhaps to the schema of an earlier release. */
export async function isEmptyDatabase(db: Db): Promise<boolean> {
  // Every daemon that has started once has a row in `hosts`.
  for (const table of Object.keys(RECORD_TABLES).filter((name) => name !== "hosts")) {
    if (!(await isTable(db, table))) continue;
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return false;
  }
  return true;
}

interface LoadOptions {
  readonly batches: AsyncIterable<RecordBatch>;
  /** Called before the commit. If it throws, the load is rolled back. */
  readonly onLoaded: () => void;
  /** Engines whose data the backup lacks, because they were destroyed while it ran. */
  readonly destroyed: readonly string[];
  readonly hostId: string;
  /** Null where engines listen on no ports of this host. */
  readonly ports: { readonly min: number; readonly max: number } | null;
  /** Written with the rows, so that an interrupted restore is recognised as done. */
  readonly restoreId: string;
  readonly createdAt: string;
  /** Whether schedules run, although the host that was backed up may run them too. */
  readonly resumeSchedules: boolean;
}

/** Inserts the records of a backup into empty tables of the same schema, all or nothing. */
export function loadRecords(db: Db, options: LoadOptions): Promise<{ readonly moved: number }> {
  const { batches, onLoaded, destroyed, hostId, ports, restoreId, createdAt, resumeSchedules } = options;
  return db.transaction().execute(async (trx) => {
    for await (const { table, lines } of batches) {
      await sql`
        insert into ${sql.table(table)}
        select * from json_populate_recordset(null::${sql.table(table)}, ${`[${lines.join(",")}]`}::json)
        ${table === "hosts" ? sql`on conflict (host_id) do update set draining = excluded.draining` : sql``}`.execute(
        trx,
      );
    }
    onLoaded();
    await skipNotifications(trx);
    if (destroyed.length > 0) await trx.deleteFrom("engines").where("id", "in", destroyed).execute();
    await resetProcesses(trx);
    // Without ports, the start of the daemon removes those that the backup has.
    const moved = ports === null ? 0 : await assignPorts(trx, hostId, ports);
    await pauseSchedules(trx, hostId, !resumeSchedules);
    if (!resumeSchedules) await endWaitingRuns(trx);
    const detail = {
      restore_id: restoreId,
      created_at: createdAt,
      host_id: hostId,
      schedules_paused: !resumeSchedules,
    };
    await appendAudit(trx, { action: "host.restored", detail });
    await new EventLog(hostId).insert(trx, { type: "host.restored", data: detail });
    return { moved };
  });
}

/** Whether {@link loadRecords} has committed this restore. */
export async function isRestored(db: Db, restoreId: string): Promise<boolean> {
  const { rows } = await sql`
    select from events where type = 'host.restored' and data ->> 'restore_id' = ${restoreId} limit 1`.execute(db);
  return rows.length > 0;
}

/** The records of an earlier release lack the column. Its migration adds it only where it is missing. */
async function pauseSchedules(trx: Trx, hostId: string, isPaused: boolean): Promise<void> {
  await sql`alter table hosts add column if not exists schedules_paused boolean not null default false`.execute(trx);
  await sql`
    insert into hosts (host_id, schedules_paused) values (${hostId}, ${isPaused})
    on conflict (host_id) do update set schedules_paused = excluded.schedules_paused`.execute(trx);
}

/** The host that was backed up has told of these events, or is about to. */
async function skipNotifications(trx: Trx): Promise<void> {
  if (!(await isTable(trx, "notification_position"))) return;
  await sql`update notification_position set seq = (select coalesce(max(seq), 0) from events)`.execute(trx);
}

/** The host that was backed up has started these runs, unless it ended then. */
async function endWaitingRuns(trx: Trx): Promise<void> {
  if (!(await isTable(trx, "scheduled_runs"))) return;
  await sql`
    update scheduled_runs set state = 'missed', request = null, ended_at = now(),
      error = 'it had not started when the backup was made from which the host was restored'
    where state = 'waiting'`.execute(trx);
}

async function isTable(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${name}) is not null`.execute(db);
  return rows.length > 0;
}

/**
 * Detaches the rows from the processes of the backed up host: new incarnations exclude an adoption, even on the same
 * machine. An engine that ran starts again. The start of the daemon finishes interrupted operations.
 */
async function resetProcesses(trx: Trx): Promise<void> {
  await sql`
    update engines set incarnation = gen_random_uuid(), restart_count = 0, restart_window_started_at = null`.execute(
    trx,
  );
  for (const column of await processColumns(trx)) await sql`update engines set ${sql.ref(column)} = null`.execute(trx);
  await sql`
    update engines set state = 'backoff', next_restart_at = now(), deadline_at = null
    where state in ('starting', 'running', 'unhealthy', 'backoff') and provisioned`.execute(trx);
  await sql`update engines set state = 'stopped' where state = 'stop_failed'`.execute(trx);
}

/** The columns that describe an engine's process, in the schema of the backup. */
async function processColumns(trx: Trx): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_schema = current_schema()
      and table_name = 'engines' and column_name in ('handle', 'uid', 'pid', 'boot_id', 'process_start')`.execute(trx);
  return rows.map(({ name }) => name);
}

/** Engines keep their ports within the range. The others get the lowest free ones. Returns how many. */
async function assignPorts(
  trx: Trx,
  hostId: string,
  { min, max }: { readonly min: number; readonly max: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with out_of_range as (
      select id, row_number() over (order by port, id) as place from engines
      where port is null or port not between ${min} and ${max}
    ), free as (
      select port, row_number() over (order by port) as place from generate_series(${min}::int, ${max}::int) as port
      where port not in (select port from engines where port is not null)
    )
    update engines set port = free.port from out_of_range join free using (place) where engines.id = out_of_range.id`.execute(
    trx,
  );
  const { rows } = await sql`
    select from engines where port is null or port not between ${min} and ${max} limit 1`.execute(trx);
  if (rows.length > 0) throw new TooFewPorts({ min, max });
  await sql`insert into ports (host_id, port, engine_id) select ${hostId}, port, id from engines`.execute(trx);
  return Number(numAffectedRows);
}
