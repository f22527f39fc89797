import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table catalog_archives (
      product_id text not null references products (id) on delete cascade,
      digest text not null,
      -- The tar.gz archive, sealed: a catalog can hold secrets.
      archive bytea not null,
      primary key (product_id, digest)
    )`.execute(db);
  await sql`
    create table catalog_versions (
      product_id text not null references products (id) on delete cascade,
      version integer not null check (version > 0),
      -- Null for a version without a file.
      digest text,
      files jsonb not null,
      bytes integer not null,
      restored_from integer,
      actor text not null,
      created_at timestamptz not null default now(),
      primary key (product_id, version),
      foreign key (product_id, digest) references catalog_archives (product_id, digest)
    )`.execute(db);
  // The current version is a part of the product: a launch needs it, and the product's trigger tells of a change.
  await sql`
    alter table products
      add column catalog_version integer not null default 0,
      add column catalog_digest text`.execute(db);
}
