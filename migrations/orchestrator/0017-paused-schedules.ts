import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // A restore pauses the schedules of its host, because the host that was backed up may still run them. The restore of an
  // older backup has added the column before the migrations reach this one.
  await sql`alter table hosts add column if not exists schedules_paused boolean not null default false`.execute(db);
}
