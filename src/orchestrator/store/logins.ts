import { type Insertable, sql } from "kysely";
import type { LoginOutcome } from "../../contract/engine/tool-login.ts";
import type { Db, Trx } from "./database.ts";
import type { LoginRow, LoginsTable } from "./login-tables.ts";

/** Adds a login, unless it is there: a question that is asked again has the same link. Removes those that have expired. */
export async function keepLogin(trx: Trx, login: Insertable<LoginsTable>): Promise<void> {
  await trx
    .deleteFrom("logins")
    .where("expires_at", "<", sql<Date>`now() - interval '1 day'`)
    .where((eb) => eb.or([eb("outcome", "is", null), eb("told_at", "is not", null)]))
    .execute();
  await trx
    .insertInto("logins")
    .values(login)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findLogin(db: Db, hash: string): Promise<LoginRow | null> {
  return (await db.selectFrom("logins").selectAll().where("hash", "=", hash).executeTakeFirst()) ?? null;
}

/** Sends a browser on its way. The state of an earlier one is void. False when the login is over. */
export async function beginLogin(
  db: Db,
  hash: string,
  sent: { readonly stateHash: string; readonly browserHash: string; readonly until: Date; readonly flow: Buffer },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("logins")
    .set({
      state_hash: sent.stateHash,
      browser_hash: sent.browserHash,
      state_expires_at: sent.until,
      flow: sent.flow,
    })
    .where("hash", "=", hash)
    .where("outcome", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes the login of a state that this browser was sent with, once. Null for any other. */
export async function takeState(
  db: Db,
  { stateHash, browserHash, now }: { readonly stateHash: string; readonly browserHash: string; readonly now: Date },
): Promise<LoginRow | null> {
  const found = await db
    .updateTable("logins")
    .set({ state_hash: null, state_expires_at: null, browser_hash: null })
    .where("state_hash", "=", stateHash)
    .where("browser_hash", "=", browserHash)
    .where("state_expires_at", ">", now)
    .where("outcome", "is", null)
    .returningAll()
    .executeTakeFirst();
  return found ?? null;
}

/** Ends a login. False when it has ended. */
export async function endLogin(trx: Trx, hash: string, outcome: LoginOutcome): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("logins")
    .set({ outcome, flow: null, state_hash: null, state_expires_at: null })
    .where("hash", "=", hash)
    .where("outcome", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Logins of this host whose engines have not heard how they ended. */
export const untoldLogins = (db: Db, hostId: string): Promise<LoginRow[]> =>
  db
    .selectFrom("logins")
    .selectAll()
    .where("host_id", "=", hostId)
    .where("outcome", "is not", null)
    .where("told_at", "is", null)
    .limit(100)
    .execute();

export async function markTold(db: Db, hash: string): Promise<void> {
  await db
    .updateTable("logins")
    .set({ told_at: sql<Date>`now()` })
    .where("hash", "=", hash)
    .execute();
}
