import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import { type Session, openSession } from "./session.ts";

const RETRY_MS = 1000;

/** Another daemon took the host over while this one had lost its connection to the database. */
export class HostTakenOver extends Error {
  override readonly name = "HostTakenOver";
}

interface HostLockParts {
  readonly newClient: () => Client;
  readonly hostId: string;
  readonly logger: Logger;
  /** Releases the lock. */
  readonly signal: AbortSignal;
}

/**
 * Acquires the session-level advisory lock of a host and keeps it until the signal. PostgreSQL releases it when the
 * daemon dies. `onWait` is called at each attempt while another daemon holds it. `onLoss` is called when another daemon
 * acquired it while the database was unreachable.
 */
export async function holdHost(
  parts: HostLockParts,
  { onWait, onLoss }: { readonly onWait: () => void; readonly onLoss: (error: HostTakenOver) => void },
): Promise<void> {
  // The name identifies our sessions, including lost ones that the server still considers open.
  const name = `orchd ${randomUUID()}`;
  let session = await lock(parts, name);
  while (session === "taken") {
    onWait();
    await delay(RETRY_MS, parts.signal);
    session = await lock(parts, name);
  }
  if (session !== null) void keep(parts, { name, session, onLoss });
}

async function keep(
  parts: HostLockParts,
  {
    name,
    session,
    onLoss,
  }: { readonly name: string; readonly session: Session; readonly onLoss: (error: HostTakenOver) => void },
): Promise<void> {
  let current: Session | "taken" | null = session;
  while (current !== null) {
    if (current === "taken") {
      onLoss(new HostTakenOver("another orchd took this host over while the database could not be reached"));
      return;
    }
    await current.ended;
    current = await retryLock(parts, name);
  }
}

async function retryLock(parts: HostLockParts, name: string): Promise<Session | "taken" | null> {
  for (;;) {
    try {
      return await lock(parts, name);
    } catch (error) {
      parts.logger.warn({ err: error }, "failed to acquire the host lock, retrying");
    }
    if (!(await delay(RETRY_MS, parts.signal))) return null;
  }
}

/** `taken` when another daemon holds the lock. Null when the signal is aborted. */
async function lock({ newClient, hostId, signal }: HostLockParts, name: string): Promise<Session | "taken" | null> {
  if (signal.aborted) return null;
  const session = await openSession(newClient, signal);
  try {
    await session.client.query("select set_config('application_name', $1, false)", [name]);
    if (await tryLock(session.client, hostId, name)) return session;
  } catch (error) {
    await session.close();
    throw error;
  }
  await session.close();
  return "taken";
}

async function tryLock(client: Client, hostId: string, name: string): Promise<boolean> {
  const attempt = async () => {
    const { rows } = await client.query<{ locked: boolean }>(
      "select pg_try_advisory_lock(hashtext('orchd host'), hashtext($1)) as locked",
      [hostId],
    );
    return rows[0]?.locked === true;
  };
  if (await attempt()) return true;
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid, 2000) from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and objsubid = 2 and pg_locks.database = (select oid from pg_database where datname = current_database())
       and classid = (hashtext('orchd host')::bigint & 4294967295)::oid
       and objid = (hashtext($1)::bigint & 4294967295)::oid
       and application_name = $2 and pid <> pg_backend_pid()`,
    [hostId, name],
  );
  return rowCount !== null && rowCount > 0 && (await attempt());
}
