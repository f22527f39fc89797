import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table notification_endpoints (
      id text primary key,
      product_id text not null references products (id) on delete cascade,
      url text not null,
      events text[] not null,
      enabled boolean not null default true,
      paused_reason text,
      -- Sealed with the deployment's secret key.
      secret bytea not null,
      previous_secret bytea,
      previous_expires_at timestamptz,
      last_delivered_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index notification_endpoints_product on notification_endpoints (product_id)`.execute(db);
  await sql`
    create table notification_deliveries (
      id text primary key,
      -- The order of the deliveries of an engine.
      seq bigint generated always as identity,
      endpoint_id text not null references notification_endpoints (id) on delete cascade,
      -- Empty for an event of no engine.
      engine_id text not null,
      type text not null,
      -- The message without its id.
      payload jsonb not null,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
      attempts integer not null default 0,
      next_try_at timestamptz not null default now(),
      last_error text,
      created_at timestamptz not null default now(),
      delivered_at timestamptz
    )`.execute(db);
  await sql`
    create index notification_deliveries_due on notification_deliveries (next_try_at) where state = 'pending'`.execute(
    db,
  );
  await sql`
    create index notification_deliveries_order on notification_deliveries (endpoint_id, engine_id, seq)
    where state = 'pending'`.execute(db);
  await sql`create index notification_deliveries_endpoint on notification_deliveries (endpoint_id, seq)`.execute(db);
  // The last event that was turned into deliveries. The events are the outbox: they commit with what they tell of.
  await sql`
    create table notification_position (
      id boolean primary key default true check (id),
      seq bigint not null
    )`.execute(db);
  await sql`insert into notification_position (seq) select coalesce(max(seq), 0) from events`.execute(db);
}
