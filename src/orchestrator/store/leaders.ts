import { hostname } from "node:os";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { Client, PoolClient } from "pg";
import { delay } from "../../shared/clock.ts";
import { hasCode } from "../../shared/error-code.ts";
import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";
import type { Database } from "./tables.ts";

/** The daemon that leads a host. */
export interface Leader {
  /** The name of its machine. */
  readonly name: string;
  /** The base URL at which it serves calls that followers pass on. Null: none. */
  readonly url: string | null;
  /** An id of its machine and network namespace. */
  readonly place: string | null;
  readonly epoch: string;
  readonly since: Date | null;
}

/** How long statements of the previous leader may run before their connections are terminated. */
const TERMINATE_AFTER_MS = 1500;
const DEADLINE_MS = 10_000;
const POLL_MS = 50;
/** SQLSTATE `undefined_table` and `undefined_column`. */
const UNDEFINED = ["42P01", "42703"] as const;

/** The recorded leader of a host. Null when there is none yet, or the schema is of an earlier release. */
export async function readLeader(client: Client, hostId: string): Promise<Leader | null> {
  try {
    const { rows } = await client.query<Omit<Leader, "name"> & { readonly name: string | null }>(
      `select leader_name as name, leader_url as url, leader_place as place, epoch::text, leader_since as since
       from hosts where host_id = $1`,
      [hostId],
    );
    const [row] = rows;
    return row?.name ? { ...row, name: row.name } : null;
  } catch (error) {
    if (hasCode(error, ...UNDEFINED)) return null;
    throw error;
  }
}

/**
 * Begins the epoch of this daemon on the session that holds the host lock. Afterwards no statement of an earlier leader
 * takes effect. A change of the leader is an event.
 */
export async function beginEpoch(
  client: Client,
  { events, url, place }: { readonly events: EventLog } & Pick<Leader, "url" | "place">,
): Promise<Leader> {
  const db = onOneConnection(client);
  const { hostId } = events;
  await waitForStatements(db, hostId);
  try {
    return await db.transaction().execute((trx) => replaceLeader(trx, events, { name: hostname(), url, place }));
  } finally {
    await sql`select pg_advisory_unlock(hashtext('orchd epoch'), hashtext(${hostId}))`.execute(db);
  }
}

/** Acquires the exclusive lock that each statement of a leader holds in shared mode. */
async function waitForStatements(db: Db, hostId: string): Promise<void> {
  const start = performance.now();
  // Polled, since a blocking wait would stop the pings of this connection and could fail its transaction.
  while (!(await tryEpochLock(db, hostId))) {
    const waitedMs = performance.now() - start;
    if (waitedMs > DEADLINE_MS) throw new Error("statements of the previous leader do not end");
    if (waitedMs > TERMINATE_AFTER_MS) await endTransactions(db, hostId);
    await delay(POLL_MS);
  }
}

async function tryEpochLock(db: Db, hostId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(hashtext('orchd epoch'), hashtext(${hostId})) as locked`.execute(db);
  return rows[0]?.locked === true;
}

async function replaceLeader(
  trx: Trx,
  events: EventLog,
  leader: Pick<Leader, "name" | "url" | "place">,
): Promise<Leader> {
  const { hostId } = events;
  const before = await trx
    .selectFrom("hosts")
    .select(["leader_name", "leader_url"])
    .where("host_id", "=", hostId)
    .executeTakeFirst();
  const fields = {
    leader_name: leader.name,
    leader_url: leader.url,
    leader_place: leader.place,
    leader_since: sql<Date>`now()`,
  };
  const row = await trx
    .insertInto("hosts")
    .values({ host_id: hostId, epoch: "1", ...fields })
    .onConflict((conflict) =>
      conflict.column("host_id").doUpdateSet({ ...fields, epoch: sql<string>`hosts.epoch + 1` }),
    )
    .returning([sql<string>`epoch::text`.as("epoch"), "leader_since"])
    .executeTakeFirstOrThrow();
  const previous = before?.leader_url ?? before?.leader_name ?? null;
  const current = leader.url ?? leader.name;
  if (previous !== null && previous !== current) {
    await events.insert(trx, {
      type: "host.leader_changed",
      data: { leader: current, previous, epoch: Number(row.epoch) },
    });
  }
  return { ...leader, epoch: row.epoch, since: row.leader_since };
}

/** Terminates the connections of the previous leader whose transactions hold the epoch lock. */
async function endTransactions(db: Db, hostId: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid, 2000) from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and classid = (hashtext('orchd epoch')::bigint & 4294967295)::oid
      and objid = (hashtext(${hostId})::bigint & 4294967295)::oid`.execute(db);
}

/** A Kysely instance on one connection, which the caller closes. */
function onOneConnection(client: Client): Db {
  const only = { query: client.query.bind(client), release: () => undefined } as unknown as PoolClient;
  const pool = { options: {}, connect: () => Promise.resolve(only), end: () => Promise.resolve() };
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
