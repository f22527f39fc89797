import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table engines
      drop constraint engines_state_check,
      add constraint engines_state_check check (state in ('provisioning', 'starting', 'running', 'unhealthy', 'sleeping',
        'backoff', 'stopping', 'stopped', 'failed', 'stop_failed', 'destroying')),
      add column slept_at timestamptz,
      add column sleep_reason text check (sleep_reason in ('idle', 'request', 'capacity')),
      add column woken_by text check (woken_by in ('call', 'start', 'admit', 'lookup', 'schedule', 'learning'))`.execute(
    db,
  );
  // Until now it had no effect, so a 0 was never a choice.
  await sql`update products set policy = jsonb_set(policy, '{idle_stop_s}', '300') where policy->'idle_stop_s' = '0'`.execute(
    db,
  );
}
