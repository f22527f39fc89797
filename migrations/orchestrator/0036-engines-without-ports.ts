import { type Kysely, sql } from "kysely";

/** Engines whose backend gives each an address of its own, as pods have, take no port of the host. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table engines alter column port drop not null`.execute(db);
}
