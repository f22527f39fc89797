import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table hosts (
      host_id text primary key,
      -- An operator's wish, kept over restarts of the daemon.
      draining boolean not null default false
    )`.execute(db);
  // A destroy that outlives its daemon still knows whether the user's data were to be kept.
  await sql`alter table engines add column keep_data boolean not null default false`.execute(db);
  await sql`create index engines_due on engines (host_id, deadline_at) where deadline_at is not null`.execute(db);
  // Another program was seen on the port: it is left alone until then.
  await sql`alter table ports add column quarantined_until timestamptz not null default '-infinity'`.execute(db);
}
