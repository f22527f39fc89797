import pg from "pg";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "../../shared/error-code.ts";
import { Deadline } from "../../shared/deadline.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Client } from "pg";

const DEADLINES = { connectionTimeoutMillis: 10_000, statement_timeout: 5000, query_timeout: 6000 };
/** A closed session stays listed in pg_stat_activity for a moment. */
const CLOSING_MS = 2000;
const POLL_MS = 100;
const STARTING_MS = 60_000;
const CANNOT_CONNECT_NOW = "57P03";

export interface ServerConnection {
  /** The folder of its Unix socket. It listens on no network address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The `application_name` tells this daemon's sessions from those of others. */
export type NamedConnection = ServerConnection & { readonly application_name: string };

/** An open session that marks the server as used by this daemon. */
export interface ServerSession {
  /** Connects as the daemon's role. */
  readonly connection: NamedConnection;
  /** Connects as the owner of the tables. */
  readonly owner: NamedConnection;
  /** Closes the session. Returns whether other programs use the server; `in use` when that is unknown. */
  close(): Promise<"in use" | "unused">;
}

/** Creates the daemon's role and opens its session. The owner's session stays open, since only it sees all sessions. */
export async function openServerSession(
  { owner, daemonPassword }: { readonly owner: ServerConnection; readonly daemonPassword: string },
  logger: Logger,
): Promise<ServerSession> {
  const name = `orchd-${randomBytes(6).toString("hex")}`;
  const open = async (connection: ServerConnection): Promise<pg.Client> => {
    const client = new pg.Client({ ...connection, ...DEADLINES, keepAlive: true, application_name: name });
    client.on("error", (error) => logger.warn({ reason: error.message }, "lost a database connection"));
    await client.connect();
    return client;
  };
  const setUp = await retryWhileStarting(() => open(owner));
  const connection = { ...owner, user: DAEMON_ROLE, password: daemonPassword };
  let session: pg.Client;
  try {
    await ensureDaemonRole(setUp, daemonPassword);
    session = await open(connection);
  } finally {
    await setUp.end();
  }
  return {
    connection: { ...connection, application_name: name },
    owner: { ...owner, application_name: name },
    async close() {
      await session.end();
      try {
        // A new connection: the session may have been lost when the server was restarted.
        return await otherSessions(await open(owner), name);
      } catch (error) {
        if (hasCode(error, "ENOENT", "ECONNREFUSED")) return "unused";
        logger.warn({ err: error }, "failed to list the sessions of PostgreSQL");
        return "in use";
      }
    },
  };
}

/** A server that another daemon is starting accepts no connections yet. */
async function retryWhileStarting(open: () => Promise<pg.Client>): Promise<pg.Client> {
  for (const end = new Deadline(STARTING_MS); ; await sleep(POLL_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!hasCode(error, CANNOT_CONNECT_NOW) || end.isOver) throw error;
    }
  }
}

async function otherSessions(client: pg.Client, name: string): Promise<"in use" | "unused"> {
  try {
    for (const end = new Deadline(CLOSING_MS); ; await sleep(POLL_MS)) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity
         where backend_type = 'client backend' and application_name is distinct from $1 and pid <> pg_backend_pid() limit 1`,
        [name],
      );
      if (rowCount === 0) return "unused";
      if (end.isOver) return "in use";
    }
  } finally {
    await client.end();
  }
}

/** The daemon's role. It owns no table and has only the grants it needs, so that it cannot rewrite the audit log. */
export const DAEMON_ROLE = "orchd_daemon";

/** Creates the role or repairs one that an interrupted start left. The password is base64url and needs no quoting. */
async function ensureDaemonRole(owner: Client, password: string): Promise<void> {
  const { rowCount } = await owner.query("select from pg_roles where rolname = $1", [DAEMON_ROLE]);
  if (rowCount === 0) await owner.query(`create role ${DAEMON_ROLE}`);
  await owner.query(
    `alter role ${DAEMON_ROLE} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
  );
}
