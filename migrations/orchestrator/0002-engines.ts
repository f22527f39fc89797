import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table engines (
      id text primary key,
      product_id text not null references products (id),
      user_id text not null,
      host_id text not null,
      state text not null check (state in ('provisioning', 'starting', 'running', 'unhealthy', 'backoff',
        'stopping', 'stopped', 'failed', 'stop_failed', 'destroying')),
      desired_state text not null check (desired_state in ('running', 'stopped', 'destroyed')),
      -- False until the provision that made the row has succeeded: what fails before leaves nothing behind.
      provisioned boolean not null default false,
      -- A passing state past its deadline is driven to the nearest resting one.
      deadline_at timestamptz,
      port integer not null,
      incarnation uuid not null,
      pid integer,
      boot_id text,
      process_start text,
      version text,
      key_hash text not null,
      key_prefix text not null,
      key_last4 text not null,
      key_created_at timestamptz not null default now(),
      previous_key_hash text,
      previous_key_expires_at timestamptz,
      restart_count integer not null default 0,
      restart_window_started_at timestamptz,
      next_restart_at timestamptz,
      last_error jsonb,
      stop_reason text,
      metadata jsonb not null default '{}',
      last_active_at timestamptz,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      stopped_at timestamptz,
      unique (product_id, user_id)
    )`.execute(db);
  await sql`create index engines_page on engines (product_id, id)`.execute(db);
  await sql`create index engines_host on engines (host_id, state)`.execute(db);
}
