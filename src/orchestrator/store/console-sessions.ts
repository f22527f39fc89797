import { type Insertable, type Selectable, sql } from "kysely";
import { SESSION_LIMITS, type SessionRole } from "../../contract/console/session-limits.ts";
import type { ConsoleLinksTable, ConsoleSessionsTable } from "./console-tables.ts";
import type { Db, Trx } from "./database.ts";

export type SessionRow = Selectable<ConsoleSessionsTable>;

/** When an idle session ends. */
export const idleEnd = ({ last_used_at: used }: Pick<SessionRow, "last_used_at">): Date =>
  new Date(used.getTime() + SESSION_LIMITS.idleS * 1000);

const lastUseOfIdle = (now: Date): Date => new Date(now.getTime() - SESSION_LIMITS.idleS * 1000);

/** Sessions by the hashes of their tokens, also those that have expired. */
export async function findSessions(db: Db, hashes: readonly string[]): Promise<ReadonlyMap<string, SessionRow>> {
  const rows = await db.selectFrom("console_sessions").selectAll().where("hash", "in", hashes).execute();
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Open sessions in the order of their ids. */
export function listSessions(
  db: Db,
  { after, limit, now }: { readonly after: string | null; readonly limit: number; readonly now: Date },
): Promise<SessionRow[]> {
  return db
    .selectFrom("console_sessions")
    .selectAll()
    .where("expires_at", ">", now)
    .where("last_used_at", ">", lastUseOfIdle(now))
    .where("id", ">", after ?? "")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Adds a session, and removes those that have expired. */
export async function insertSession(trx: Trx, session: Insertable<ConsoleSessionsTable>): Promise<void> {
  const now = session.created_at;
  await trx
    .deleteFrom("console_sessions")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("last_used_at", "<=", lastUseOfIdle(now))]))
    .execute();
  await trx.insertInto("console_sessions").values(session).execute();
}

/** Stores the last use of a session. Several daemons may write it; the latest time wins. */
export async function storeLastUse(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable("console_sessions")
    .set({ last_used_at: sql<Date>`greatest(last_used_at, ${at})` })
    .where("id", "=", id)
    .execute();
}

/** False when there is no such session. */
export async function deleteSession(trx: Trx, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom("console_sessions").where("id", "=", id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Adds a link, and removes those that have expired. */
export async function insertLink(trx: Trx, link: ConsoleLinksTable, now: Date): Promise<void> {
  await trx.deleteFrom("console_links").where("expires_at", "<=", now).execute();
  await trx.insertInto("console_links").values(link).execute();
}

/** Deletes a link and returns its role, to one of several concurrent calls. Null for an unknown, used or expired link. */
export async function takeLink(trx: Trx, hash: string, now: Date): Promise<SessionRole | null> {
  const link = await trx
    .deleteFrom("console_links")
    .where("hash", "=", hash)
    .returning(["role", "expires_at"])
    .executeTakeFirst();
  return link !== undefined && link.expires_at > now ? link.role : null;
}
