import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // A token names its product by issuer and audience.
  await sql`
    create unique index products_end_users
    on products ((policy -> 'end_users' ->> 'issuer'), (policy -> 'end_users' ->> 'audience'))
    where policy -> 'end_users' ->> 'issuer' is not null`.execute(db);
  // Tokens of a product's identity provider that are older are revoked.
  await sql`alter table engines add column tokens_revoked_at timestamptz`.execute(db);
}
