import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // How far the questions of an engine are read: the revision counts from zero in each life of its process.
  await sql`
    alter table engines
      add column open_questions integer not null default 0,
      add column questions_of uuid,
      add column questions_revision bigint not null default 0`.execute(db);
  // What engines have last reported. The engines themselves decide what is open.
  await sql`
    create table open_questions (
      engine_id text not null references engines (id) on delete cascade,
      host_id text not null,
      request_id text not null,
      -- As text: it may contain characters that jsonb refuses.
      question json not null,
      primary key (request_id, engine_id)
    )`.execute(db);
  await sql`create index open_questions_engine on open_questions (engine_id)`.execute(db);
}
