import type { SessionPerson, SessionRecord } from "../../contract/console/session.ts";
import { SESSION_TOKEN_PREFIX } from "../../contract/console/session-limits.ts";
import { plausibleKey, sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { Clock } from "../../shared/clock.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import { type SessionRow, findSessions, idleEnd, listSessions, storeLastUse } from "../store/console-sessions.ts";
import type { Db } from "../store/database.ts";

export type Session = SessionRow;

/** How long a session is cached. Another daemon may end it meanwhile. */
const READ_AGAIN_MS = 5000;
const STORE_USE_MS = 60_000;
const MAX_CACHED = 1000;

interface CachedSession {
  row: SessionRow;
  readonly readAt: number;
}

/** The open sessions of the console, by token. The look-up is by SHA-256, so its timing reveals nothing about a token. */
export class Sessions {
  /** Batched, so that unauthenticated callers can occupy only one connection of the pool. */
  readonly #lookups: BatchedLookups<SessionRow>;
  readonly #cached = new Map<string, CachedSession>();
  readonly #db: Db;
  readonly #now: Clock;

  constructor(db: Db, now: Clock) {
    this.#db = db;
    this.#now = now;
    this.#lookups = new BatchedLookups((hashes) => findSessions(db, hashes));
  }

  /** The session of a token for a call, which counts as its use. Null when it is unknown or has ended. */
  async use(token: string): Promise<SessionRow | null> {
    const session = await this.find(token);
    if (session === null) return null;
    const now = this.#now();
    const used = { ...session, last_used_at: new Date(now) };
    const cached = this.#cached.get(session.hash);
    if (now - session.last_used_at.getTime() < STORE_USE_MS) return session;
    if (cached !== undefined) cached.row = used;
    await storeLastUse(this.#db, session.id, used.last_used_at);
    return used;
  }

  /** Like `use`, without counting as a use, such as for an open stream. */
  async find(token: string): Promise<SessionRow | null> {
    if (!token.startsWith(SESSION_TOKEN_PREFIX) || !plausibleKey(SESSION_TOKEN_PREFIX, token)) return null;
    const session = await this.#read(sha256(token));
    const now = this.#now();
    if (session === null || session.expires_at.getTime() <= now || idleEnd(session).getTime() <= now) return null;
    return session;
  }

  /** Called after a session was ended. */
  ended(id: string): void {
    for (const [hash, { row }] of this.#cached) if (row.id === id) this.#cached.delete(hash);
  }

  async list(page: { readonly after: string | null; readonly limit: number }): Promise<SessionRow[]> {
    return listSessions(this.#db, { ...page, now: new Date(this.#now()) });
  }

  async #read(hash: string): Promise<SessionRow | null> {
    const now = this.#now();
    const cached = this.#cached.get(hash);
    if (cached !== undefined && Math.abs(now - cached.readAt) < READ_AGAIN_MS) return cached.row;
    const row = await this.#lookups.find(hash);
    this.#cached.delete(hash);
    if (row === null) return null;
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(hash, { row, readAt: now });
    return row;
  }
}

/** Null for a session that the admin key or a link opened. */
export const personOf = ({ subject, person_name: name, email }: SessionRow): SessionPerson | null =>
  subject === null ? null : { subject, name, email };

/** The session of a call and its person, for the audit log. Not by the name, which people choose themselves. */
export function callerOf(row: SessionRow): { readonly session: string; readonly person?: string } {
  const person = row.email ?? row.subject;
  return { session: row.id, ...(person !== null && { person }) };
}

export const sessionRecord = (row: SessionRow, current: SessionRow | null): SessionRecord => ({
  id: row.id,
  role: row.role,
  opened_by: row.opened_by,
  person: personOf(row),
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  idle_expires_at: idleEnd(row).toISOString(),
  is_current: row.id === current?.id,
});
