import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table events (
      -- The order of commits, so that a reader who remembers the last one it saw misses none.
      seq bigint primary key,
      id text not null unique,
      time timestamptz not null default clock_timestamp(),
      host_id text not null,
      type text not null,
      product_id text,
      user_id text,
      engine_id text,
      incarnation uuid,
      from_state text,
      to_state text,
      reason text,
      actor text not null,
      request_id text,
      data jsonb not null default '{}'
    )`.execute(db);
  await sql`create index events_product on events (product_id, seq)`.execute(db);
  await sql`create index events_user on events (product_id, user_id, seq)`.execute(db);
  await sql`create index events_time on events (time)`.execute(db);
  await sql`create sequence events_seq owned by events.seq`.execute(db);
  // The lock lasts until the commit, so that numbers become visible in order. An event is the last statement of its
  // transaction, so that no transaction waits while it holds the lock.
  await sql`
    create function number_event() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(hashtext('orchd'), hashtext('events'));
      new.seq := nextval('events_seq');
      return new;
    end $$`.execute(db);
  await sql`
    create trigger event_numbered before insert on events
    for each row execute function number_event()`.execute(db);
}
