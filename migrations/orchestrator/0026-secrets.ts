import { type Kysely, sql } from "kysely";

/** The vault. Values are sealed with a data key of their product, which is sealed with the deployment's secret key. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table data_keys (
      product_id text primary key references products (id) on delete cascade,
      sealed bytea not null
    )`.execute(db);
  // The empty user is the product itself.
  await sql`
    create table secrets (
      product_id text not null references products (id) on delete cascade,
      user_id text not null,
      name text not null,
      sealed bytea,
      source text,
      hosts text[] not null,
      place text not null,
      header text,
      prefix text,
      hash_prefix text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      last_used_at timestamptz,
      primary key (product_id, user_id, name),
      check ((sealed is null) <> (source is null))
    )`.execute(db);
}
