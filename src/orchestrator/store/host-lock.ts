import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { untilExit } from "../../shared/background.ts";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import type { EventLog } from "./events.ts";
import { type Leader, beginEpoch, readLeader } from "./leaders.ts";
import { type LockSession, openLockSession } from "./lock-session.ts";

const RETRY_MS = 1000;

/** Another daemon acquired the host lock while this one had lost its connection to the database. */
export class HostTakenOver extends Error {
  override readonly name = "HostTakenOver";
}

/** Whether this daemon leads. Checked before signals and launches; for writes, the database checks the epoch itself. */
export interface Leadership {
  isHeld(): Promise<boolean>;
}

interface HostLockParts {
  readonly newClient: () => Client;
  readonly hostId: string;
  readonly logger: Logger;
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  /** Whether other daemons wait for the lock. Then this daemon does not count as the leader without the database. */
  readonly hasReplicas?: boolean;
}

interface HostLockEvents {
  readonly onWait: (leader: Leader | null) => void;
  readonly onLoss: (error: HostTakenOver) => void;
}

/**
 * Acquires the session-level advisory lock of a host. Its holder is the leader. PostgreSQL releases the lock soon after the
 * daemon dies or freezes. `onWait` is called at each attempt while another daemon holds it, `onLoss` when another daemon
 * has acquired it later. Null when the signal aborts first.
 */
export async function holdHost(parts: HostLockParts, events: HostLockEvents): Promise<HostLock | null> {
  // The name identifies our sessions, including lost ones that the server still considers open.
  const name = `orchd ${randomUUID()}`;
  let session: LockSession | null = await openLockSession(parts.newClient, name);
  try {
    for (let isFirst = true; ; isFirst = false) {
      try {
        session ??= await openLockSession(parts.newClient, name);
        if (await tryLock(session.client, parts.hostId)) {
          const lock = new HostLock(parts, { name, session, onLoss: events.onLoss });
          session = null;
          return lock;
        }
      } catch (error) {
        if (isFirst) throw error;
        parts.logger.warn({ err: error }, "failed to try the host lock, retrying");
        await session?.close();
        session = null;
      }
      if (session !== null) events.onWait(await readLeader(session.client, parts.hostId).catch(() => null));
      if (!(await delay(RETRY_MS, parts.signal))) return null;
    }
  } finally {
    await session?.close();
  }
}

/** The lock of a host. It is acquired again after its connection is lost. */
export class HostLock implements Leadership {
  readonly #parts: HostLockParts;
  readonly #name: string;
  readonly #onLoss: (error: HostTakenOver) => void;
  readonly #over = new AbortController();
  #session: LockSession;
  /** Null before `beginEpoch`. */
  #epoch: string | null = null;

  constructor(
    parts: HostLockParts,
    { name, session, onLoss }: { name: string; session: LockSession; onLoss: (error: HostTakenOver) => void },
  ) {
    this.#parts = parts;
    this.#name = name;
    this.#session = session;
    this.#onLoss = onLoss;
    untilExit("host lock", this.#keep());
  }

  /** Begins this leader's epoch. From then on, no statement of an earlier leader takes effect. */
  async beginEpoch(events: EventLog, place: Pick<Leader, "url" | "place">): Promise<Leader> {
    const leader = await beginEpoch(this.#session.client, { events, ...place });
    this.#epoch = leader.epoch;
    await this.#warnOfWeakLock();
    return leader;
  }

  async isHeld(): Promise<boolean> {
    if (this.#over.signal.aborted) return false;
    if (this.#session.isFresh() || (await this.#session.answers())) return true;
    return this.#parts.hasReplicas !== true && !this.#over.signal.aborted;
  }

  async release(): Promise<void> {
    this.#over.abort();
    await this.#session.close();
  }

  async #keep(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await this.#session.ended;
      const next = signal.aborted ? null : await this.#acquireAgain();
      if (next === null) return;
      if (next === "taken") {
        this.#over.abort();
        this.#onLoss(new HostTakenOver("another orchd took this host over while the database could not be reached"));
        return;
      }
      this.#session = next;
      // The lock was released meanwhile.
      if (signal.aborted) await next.close();
    }
  }

  async #acquireAgain(): Promise<LockSession | "taken" | null> {
    const { signal } = this.#over;
    do {
      try {
        return await this.#tryAgain();
      } catch (error) {
        this.#parts.logger.warn({ err: error }, "failed to acquire the host lock, retrying");
      }
    } while (await delay(RETRY_MS, signal));
    return null;
  }

  /** Also `taken` when another daemon has led meanwhile. */
  async #tryAgain(): Promise<LockSession | "taken"> {
    const { newClient, hostId } = this.#parts;
    const session = await openLockSession(newClient, this.#name);
    try {
      const { client } = session;
      const isOurs = (await tryLock(client, hostId)) || (await takeFromLostSession(client, hostId, this.#name));
      if (isOurs && (this.#epoch === null || (await readLeader(client, hostId))?.epoch === this.#epoch)) return session;
    } catch (error) {
      await session.close();
      throw error;
    }
    await session.close();
    return "taken";
  }

  async #warnOfWeakLock(): Promise<void> {
    const { logger, hasReplicas } = this.#parts;
    if (!hasReplicas) return;
    if (!this.#session.endsWhenIdle)
      logger.warn(
        "found PostgreSQL older than version 14: a frozen daemon keeps the lead until it ends; upgrade PostgreSQL",
      );
    if (!(await this.#session.isOwn()))
      logger.error(
        "found a pooler that shares connections: set DATABASE_URL to PostgreSQL itself or a pooler in session mode",
      );
  }
}

async function tryLock(client: Client, hostId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock(hashtext('orchd host'), hashtext($1)) as locked",
    [hostId],
  );
  return rows[0]?.locked === true;
}

/** Terminates our lost sessions that the server still considers open, then tries the lock. */
async function takeFromLostSession(client: Client, hostId: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid, 2000) from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and objsubid = 2 and pg_locks.database = (select oid from pg_database where datname = current_database())
       and classid = (hashtext('orchd host')::bigint & 4294967295)::oid
       and objid = (hashtext($1)::bigint & 4294967295)::oid
       and application_name = $2 and pid <> pg_backend_pid()`,
    [hostId, name],
  );
  return rowCount !== null && rowCount > 0 && tryLock(client, hostId);
}
