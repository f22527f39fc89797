import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table products (
      id text primary key,
      slug text not null unique,
      name text,
      policy jsonb not null,
      engine_env bytea,
      engine_env_names text[] not null default '{}',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table product_keys (
      hash text primary key,
      product_id text not null references products (id) on delete cascade,
      prefix text,
      last4 text,
      created_at timestamptz not null default now(),
      expires_at timestamptz
    )`.execute(db);
  await sql`create index product_keys_product on product_keys (product_id)`.execute(db);
  await sql`create unique index product_keys_current on product_keys (product_id) where expires_at is null`.execute(db);
  // Daemons cache products by key hash. The trigger notifies them of every change, including an operator's own SQL.
  await sql`
    create function notify_product_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('orchd_products', '');
      return null;
    end $$`.execute(db);
  await sql`
    create trigger products_changed after insert or update or delete on products
    for each statement execute function notify_product_change()`.execute(db);
  await sql`
    create trigger product_keys_changed after insert or update or delete on product_keys
    for each statement execute function notify_product_change()`.execute(db);
}
