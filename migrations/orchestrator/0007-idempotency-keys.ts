import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table idempotency_keys (
      -- A product's id, or 'admin': two products never meet.
      scope text not null,
      key text not null,
      -- SHA-256 of the request: bodies can hold secrets.
      fingerprint text not null,
      -- One use of the key: a late result of an earlier use changes nothing.
      claim uuid not null,
      host_id text not null,
      -- The answer, without any key that was in it; null while the call is in progress.
      status integer,
      body text,
      expires_at timestamptz not null,
      primary key (scope, key),
      check ((status is null) = (body is null))
    )`.execute(db);
  await sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`.execute(db);
}
