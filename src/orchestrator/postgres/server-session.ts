import pg from "pg";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../shared/logger.ts";
import type { Client } from "pg";

const DEADLINES = { connectionTimeoutMillis: 10_000, statement_timeout: 5000, query_timeout: 6000 };
/** A session that has just been closed or killed is listed for a moment longer. */
const LEAVING_MS = 2000;
const POLL_MS = 100;
const STARTING_MS = 60_000;
const CANNOT_CONNECT_NOW = "57P03";

export interface ServerConnection {
  /** The folder of its Unix socket: it listens on no network address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Named, so that this daemon's sessions are not taken for another's. */
export type NamedConnection = ServerConnection & { readonly application_name: string };

/** A session that tells others for as long as it is open that this daemon uses the server. */
export interface Presence {
  /** As the daemon's own role. */
  readonly connection: NamedConnection;
  /** As the owner of the tables. */
  readonly owner: NamedConnection;
  /** Ends it, and tells whether anybody else is still there; in doubt somebody is. */
  leave(): Promise<"others stay" | "was the last">;
}

/** Makes the daemon's role and opens its session. Only the owner sees the sessions of every role. */
export async function enter(
  { owner, daemonPassword }: { readonly owner: ServerConnection; readonly daemonPassword: string },
  logger: Logger,
): Promise<Presence> {
  const name = `orchd-${randomBytes(6).toString("hex")}`;
  const open = async (connection: ServerConnection): Promise<pg.Client> => {
    const client = new pg.Client({ ...connection, ...DEADLINES, keepAlive: true, application_name: name });
    client.on("error", (error) => logger.warn({ reason: error.message }, "database connection lost"));
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
    async leave() {
      await session.end();
      try {
        // A new one: the session may have been lost since, with a server that was started anew.
        return await othersStay(await open(owner), name);
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        if (code === "ENOENT" || code === "ECONNREFUSED") return "was the last";
        logger.warn({ err: error }, "cannot ask PostgreSQL who uses it");
        return "others stay";
      }
    },
  };
}

/** One that an earlier daemon has only just begun to start lets nobody in yet. */
async function retryWhileStarting(open: () => Promise<pg.Client>): Promise<pg.Client> {
  for (const end = Date.now() + STARTING_MS; ; await sleep(POLL_MS)) {
    try {
      return await open();
    } catch (error) {
      const isStarting = error instanceof Error && "code" in error && error.code === CANNOT_CONNECT_NOW;
      if (!isStarting || Date.now() >= end) throw error;
    }
  }
}

async function othersStay(client: pg.Client, name: string): Promise<"others stay" | "was the last"> {
  try {
    for (const end = Date.now() + LEAVING_MS; ; await sleep(POLL_MS)) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity
         where backend_type = 'client backend' and application_name is distinct from $1 and pid <> pg_backend_pid() limit 1`,
        [name],
      );
      if (rowCount === 0) return "was the last";
      if (Date.now() >= end) return "others stay";
    }
  } finally {
    await client.end();
  }
}

/** What the daemon works as: it owns no table and is given only what it needs, so that it cannot rewrite the audit log. */
export const DAEMON_ROLE = "orchd_daemon";

/** Makes the role, or puts right one that a start cut short has left. The password is ours: it needs no quoting. */
export async function ensureDaemonRole(owner: Client, password: string): Promise<void> {
  const { rowCount } = await owner.query("select from pg_roles where rolname = $1", [DAEMON_ROLE]);
  if (rowCount === 0) await owner.query(`create role ${DAEMON_ROLE}`);
  await owner.query(
    `alter role ${DAEMON_ROLE} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
  );
}
