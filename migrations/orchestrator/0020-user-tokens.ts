import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table token_keys (
      kid text primary key,
      -- PKCS #8, sealed with the deployment's secret key.
      private_key bytea not null,
      -- SPKI, in PEM.
      public_key text not null,
      created_at timestamptz not null default now(),
      -- When another key replaced it. Tokens of it are accepted for another hour.
      replaced_at timestamptz
    )`.execute(db);
  // One key signs.
  await sql`create unique index token_keys_current on token_keys ((replaced_at is null)) where replaced_at is null`.execute(
    db,
  );
  // Tokens of an earlier epoch are revoked.
  await sql`alter table engines add column token_epoch integer not null default 0`.execute(db);
  await sql`
    create function orchd_notify_tokens() returns trigger language plpgsql as $$
    begin
      perform pg_notify('orchd_tokens', old.id);
      return null;
    end $$`.execute(db);
  await sql`
    create trigger engines_tokens after update of token_epoch on engines
    for each row when (old.token_epoch is distinct from new.token_epoch) execute function orchd_notify_tokens()`.execute(
    db,
  );
  await sql`
    create trigger engines_tokens_deleted after delete on engines
    for each row execute function orchd_notify_tokens()`.execute(db);
}
