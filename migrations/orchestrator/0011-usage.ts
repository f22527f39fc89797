import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // What engines have spent, as each engine's ledger told it last. Without a reference to engines: it outlives them.
  await sql`
    create table usage_days (
      product_id text not null,
      user_id text not null,
      day date not null,
      -- Of turns, provider and model are empty.
      provider text not null,
      model text not null,
      ledger uuid not null,
      revision bigint not null,
      model_calls bigint not null,
      estimated_calls bigint not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      turns bigint not null,
      failed_turns bigint not null,
      tool_calls bigint not null,
      turn_ms bigint not null,
      primary key (product_id, user_id, day, provider, model, ledger)
    )`.execute(db);
  await sql`create index usage_days_day on usage_days (day, product_id)`.execute(db);
  // How far each ledger has been collected.
  await sql`
    create table usage_ledgers (
      product_id text not null,
      user_id text not null,
      ledger uuid not null,
      engine_id text not null,
      revision bigint not null,
      collected_at timestamptz not null default now(),
      primary key (product_id, user_id, ledger)
    )`.execute(db);
  // The incarnation that ended with all of its usage collected.
  await sql`alter table engines add column usage_collected uuid`.execute(db);
}
