import { type Insertable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { RevocationRow, RevocationsTable } from "./login-tables.ts";

const AT_ONCE = 50;
/** Longer than a try takes, so that nobody else makes it again meanwhile. */
const FIRST_WAIT_S = 15;
const LONGEST_WAIT_S = 3600;
const KEPT = sql.lit("3 days");

/** Adds a revocation. `isTried`: by whoever adds it, so that it is due only if that fails. */
export async function insertRevocation(
  trx: Trx,
  row: Insertable<RevocationsTable>,
  { isTried }: { readonly isTried: boolean },
): Promise<RevocationRow> {
  const due = sql<Date>`now() + make_interval(secs => ${FIRST_WAIT_S})`;
  const tried = isTried ? { tries: 1, due_at: due } : {};
  return trx
    .insertInto("revocations")
    .values({ ...row, ...tried })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Takes what is due on this host, for one try each. The next one is due later each time, up to an hour. */
export async function takeDueRevocations(db: Db, hostId: string): Promise<RevocationRow[]> {
  const { rows } = await sql<RevocationRow>`
    update revocations
    set tries = tries + 1,
      due_at = now() + make_interval(secs => least(${FIRST_WAIT_S} * 2 ^ least(tries, 10), ${LONGEST_WAIT_S}))
    where id in (
      select id from revocations where host_id = ${hostId} and due_at <= now()
      order by due_at limit ${AT_ONCE} for update skip locked)
    returning *`.execute(db);
  return rows;
}

export async function deleteRevocation(db: Db, id: string): Promise<void> {
  await db.deleteFrom("revocations").where("id", "=", id).execute();
}

/** Gives up what no try has ended for days. */
export async function dropOldRevocations(
  db: Db,
  hostId: string,
): Promise<Pick<RevocationRow, "engine_id" | "server" | "tries">[]> {
  return db
    .deleteFrom("revocations")
    .where("host_id", "=", hostId)
    .where("created_at", "<", sql<Date>`now() - interval ${KEPT}`)
    .returning(["engine_id", "server", "tries"])
    .execute();
}
