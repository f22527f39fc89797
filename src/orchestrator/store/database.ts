import pg from "pg";
import { Kysely, PostgresDialect, type Transaction, sql } from "kysely";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import { errorCode } from "../../shared/error-code.ts";
import { destroyConnection } from "./session.ts";
import type { Database } from "./tables.ts";

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** A `postgres://` address, or the parts of one; `host` may be a folder with a Unix socket. */
export type Connection =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** Statements are short, so one that takes longer is stuck. In milliseconds. */
const DEADLINES = { connectionTimeoutMillis: 3000, statement_timeout: 10_000, query_timeout: 12_000 };
/** For a session with a lock or a LISTEN, whose loss must be noticed soon. */
const SESSION_DEADLINES = { ...DEADLINES, query_timeout: 4000 };
const CLOSE_MS = 2000;

/** Ends the transaction of a frozen daemon, for which the next leader would wait. Above the longest event-loop stall. */
const FENCED_SETTINGS = { idle_in_transaction_session_timeout: "6000" };

/** The fencing token of a leader's connections. The database refuses changes of an earlier epoch (SQLSTATE OR001). */
interface Fence {
  readonly hostId: string;
  readonly epoch: string;
}

export interface OpenDatabase {
  readonly db: Db;
  readonly newClient: () => pg.Client;
  readonly close: () => Promise<void>;
}

/** Opens a connection pool. `fence`: for the leader of a host. */
export function openDatabase(connection: Connection, logger: Logger, fence: Fence | null = null): OpenDatabase {
  // The pool awaits the returned promise, although its types do not say so.
  const onConnect: (client: pg.ClientBase) => unknown = (client) => fence && setFence(client, fence);
  const pool = new pg.Pool({
    ...connection,
    ...DEADLINES,
    max: 20,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    onConnect,
  });
  const clients = new Set<pg.PoolClient>();
  // Without an "error" listener a lost connection would crash the daemon.
  const onError = (error: Error) => logger.warn({ reason: error.message }, "lost a database connection");
  pool.on("error", onError);
  pool.on("remove", (client) => clients.delete(client));
  pool.on("connect", (client) => {
    clients.add(client);
    client.on("error", onError);
    destroyOnTimeout(client);
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    newClient: () => new pg.Client({ ...connection, ...SESSION_DEADLINES, keepAlive: true }),
    close: async () => {
      await Promise.race([db.destroy(), delay(CLOSE_MS)]);
      for (const client of clients) destroyConnection(client);
    },
  };
}

async function setFence(client: pg.ClientBase, { hostId, epoch }: Fence): Promise<void> {
  const settings = { "orchd.host_id": hostId, "orchd.epoch": epoch, ...FENCED_SETTINGS };
  await client.query(
    "select set_config(name, value, false) from unnest($1::text[], $2::text[]) as wanted (name, value)",
    [Object.keys(settings), Object.values(settings)],
  );
}

/**
 * Destroys a connection after a query timeout. The pool would reuse it, and each statement would wait for the response
 * of the previous one.
 */
function destroyOnTimeout(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]): unknown => {
    const answer = query(...args);
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (error instanceof Error && error.message === "Query read timeout") destroyConnection(client);
      });
    }
    return answer;
  };
  client.query = watched as typeof client.query;
}

const UNAVAILABLE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "53300", // too_many_connections
]);

/** Whether an error means that the database is unreachable, rather than that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A missing file has a path. A connection error has an address.
  if ("path" in error) return false;
  const code = errorCode(error);
  return (
    UNAVAILABLE_CODES.has(code) ||
    code.startsWith("08") ||
    // pg sets no code on these.
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/** Whether the database answers within the deadline. */
export async function databaseAnswers(db: Db, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), deadlineMs);
  const answered = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  const result = await Promise.race([answered, late.promise]);
  clearTimeout(timer);
  return result;
}

const BATCH = 5000;

/** Repeats a delete of at most `limit` rows until none are left. One large delete could exceed the statement timeout. */
export async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await remove(BATCH);
    total += removed;
    if (removed < BATCH) return total;
  }
}
