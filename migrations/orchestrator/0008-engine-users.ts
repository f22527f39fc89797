import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // Of two engines of a host that take the same user id at once, the constraint refuses one.
  await sql`alter table engines add column uid integer, add unique (host_id, uid)`.execute(db);
}
