import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table hosts (
      host_id text primary key,
      -- An operator's wish, kept over restarts of the daemon.
      draining boolean not null default false
    )`.execute(db);
  // The daemon that finishes a destroy needs to know whether to keep the user's data.
  await sql`alter table engines add column keep_data boolean not null default false`.execute(db);
  await sql`create index engines_due on engines (host_id, deadline_at) where deadline_at is not null`.execute(db);
  // Another program was found on the port. It is not used until this time.
  await sql`alter table ports add column quarantined_until timestamptz not null default '-infinity'`.execute(db);
}
