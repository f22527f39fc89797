import { type Kysely, sql } from "kysely";

/** Logins at tool servers that are deleted here, and are to be ended at their authorization servers. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table revocations (
      id text primary key,
      -- Of the connection that was deleted. Neither the engine nor the product has to exist any more.
      engine_id text not null,
      server text not null,
      product_id text not null,
      host_id text not null,
      -- Of the product's policy when the connection was deleted.
      private_hosts text[] not null,
      -- Sealed with the deployment's secret key, as those of connections.
      tokens bytea not null,
      tries integer not null default 0,
      due_at timestamptz not null default now(),
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index revocations_due on revocations (host_id, due_at)`.execute(db);
  await sql`
    create trigger changed_by_leader before insert or update or delete on revocations
    for each statement execute function assert_leader()`.execute(db);
}
