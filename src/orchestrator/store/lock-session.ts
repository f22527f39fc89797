import type { Client } from "pg";
import { type Session, openSession } from "./session.ts";

const PING_MS = 1000;
/**
 * PostgreSQL settings, in milliseconds and seconds, that release the lock of a lost daemon. A dead node answers no TCP
 * keepalive. A frozen daemon does, but its session is idle. An event loop that is blocked for 5 s keeps the lock.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  idle_session_timeout: "6500",
  tcp_keepalives_idle: "2",
  tcp_keepalives_interval: "1",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "5000",
};
/** Below `idle_session_timeout`: a session with a more recent answer certainly holds the lock. */
const CERTAIN_MS = 5500;

/** A session whose lock PostgreSQL releases soon after its daemon is lost. */
export interface LockSession extends Session {
  /** Whether PostgreSQL ends the session of a frozen daemon (version 14 and newer). */
  readonly endsWhenIdle: boolean;
  /** Whether the last answered ping proves that the session is open. Makes no query. */
  isFresh(): boolean;
  /** False when a pooler shares the server's connection, and with it the locks. */
  isOwn(): Promise<boolean>;
}

/** `name` becomes its `application_name`. */
export async function openLockSession(newClient: () => Client, name: string): Promise<LockSession> {
  const confirmed = { at: performance.now(), wall: Date.now() };
  const session = await openSession(newClient, null, {
    pingMs: PING_MS,
    onPong: (sentAt) => {
      confirmed.at = sentAt;
      confirmed.wall = Date.now() - (performance.now() - sentAt);
    },
  });
  try {
    const { client } = session;
    await client.query("select set_config('application_name', $1, false)", [name]);
    const { rows } = await client.query<{ name: string; server: number }>(
      `select name, set_config(name, value, false), pg_backend_pid() as server
       from unnest($1::text[], $2::text[]) as wanted (name, value) join pg_settings using (name)`,
      [Object.keys(SETTINGS), Object.values(SETTINGS)],
    );
    return {
      ...session,
      endsWhenIdle: rows.some((row) => row.name === "idle_session_timeout"),
      // Only the wall clock advances while the machine is suspended.
      isFresh: () =>
        session.isOpen() &&
        performance.now() - confirmed.at < CERTAIN_MS &&
        Math.abs(Date.now() - confirmed.wall) < CERTAIN_MS,
      async isOwn() {
        const { rows: now } = await client.query<{ server: number }>("select pg_backend_pid() as server");
        return now[0]?.server === rows[0]?.server;
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}
