import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table identity_keys (
      kid text primary key,
      -- PKCS #8, sealed with the deployment's secret key.
      private_key bytea not null,
      -- SPKI, in PEM.
      public_key text not null,
      created_at timestamptz not null default now(),
      -- Until then products read it among the published keys, and it signs nothing.
      signs_from timestamptz not null default now(),
      -- When another key signs in its place. It is published until its last token has ended.
      replaced_at timestamptz
    )`.execute(db);
  // One key is the newest, whichever daemon made it.
  await sql`
    create unique index identity_keys_newest on identity_keys ((replaced_at is null)) where replaced_at is null`.execute(
    db,
  );
}
