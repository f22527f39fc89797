import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table schedules (
      id text primary key,
      engine_id text not null references engines (id) on delete cascade,
      product_id text not null,
      host_id text not null,
      name text not null,
      enabled boolean not null,
      -- The kind with its own fields, as the interface shows it.
      timing jsonb not null,
      message text not null,
      task_id text,
      agent text,
      missed text not null check (missed in ('skip', 'run_once', 'run_all')),
      missed_limit integer not null,
      spread_s integer not null,
      ends_at timestamptz,
      -- Null while it is paused, and after its last time.
      next_due timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (engine_id, name)
    )`.execute(db);
  await sql`create index schedules_due on schedules (host_id, next_due) where next_due is not null`.execute(db);
  await sql`
    create table webhooks (
      id text primary key,
      engine_id text not null references engines (id) on delete cascade,
      product_id text not null,
      host_id text not null,
      name text not null,
      enabled boolean not null,
      template text not null,
      task_id text,
      agent text,
      requests_per_minute integer not null,
      -- Sealed with the deployment's secret key: a signature is checked with the secret itself.
      secret bytea not null,
      previous_secret bytea,
      previous_expires_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (engine_id, name)
    )`.execute(db);
  await sql`
    create table scheduled_runs (
      id text primary key,
      engine_id text not null references engines (id) on delete cascade,
      product_id text not null,
      host_id text not null,
      schedule_id text references schedules (id) on delete cascade,
      webhook_id text references webhooks (id) on delete cascade,
      -- The due time, the id of a webhook's message, or the run's own id: what makes it one run.
      key text not null,
      due_at timestamptz not null,
      state text not null check (state in ('waiting', 'running', 'waiting_for_human', 'done', 'failed', 'missed',
        'refused')),
      -- The turn to start, sealed; null once the run has ended.
      request bytea,
      task_id text,
      turn_id text,
      error text,
      -- A turn that has not started by then does not start any more.
      start_by timestamptz not null,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (schedule_id, key),
      unique (webhook_id, key),
      check ((schedule_id is null) <> (webhook_id is null))
    )`.execute(db);
  await sql`create index scheduled_runs_open on scheduled_runs (host_id, id) where ended_at is null`.execute(db);
  await sql`create index scheduled_runs_of_engine on scheduled_runs (engine_id)`.execute(db);
}
