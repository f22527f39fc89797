import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // A turn that asks again while its run is recorded as waiting raises another event.
  await sql`alter table scheduled_runs add column request_id text`.execute(db);
}
