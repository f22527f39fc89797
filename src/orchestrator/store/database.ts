import { Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import type { Logger } from "../../kit/logger.ts";
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

/** No statement here takes long: one that does is stuck, and better refused than waited for. */
const DEADLINES = { connectionTimeoutMillis: 3000, statement_timeout: 10_000, query_timeout: 12_000 };

export function openDatabase(connection: Connection, logger: Logger): { db: Db; newClient: () => pg.Client } {
  const pool = new pg.Pool({ ...connection, ...DEADLINES, max: 20, idleTimeoutMillis: 60_000, keepAlive: true });
  // Without listeners a connection's end (the server restarts) would end the daemon, be it idle or in use.
  const lost = (error: Error) => logger.warn({ reason: error.message }, "database connection lost");
  pool.on("error", lost);
  pool.on("connect", (client) => client.on("error", lost));
  return {
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
    newClient: () => new pg.Client({ ...connection, ...DEADLINES, keepAlive: true }),
  };
}

const AWAY_CODES = new Set([
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

/** Whether an error says that the database cannot be reached now, rather than that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return (
    AWAY_CODES.has(code) ||
    code.startsWith("08") ||
    // pg gives these no code.
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      error.message,
    )
  );
}
