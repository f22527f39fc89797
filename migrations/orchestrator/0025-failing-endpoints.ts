import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // Since when every try has failed.
  await sql`alter table notification_endpoints add column failing_since timestamptz`.execute(db);
}
