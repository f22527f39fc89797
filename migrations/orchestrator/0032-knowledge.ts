import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table knowledge_documents (
      product_id text not null references products (id) on delete cascade,
      path text not null,
      title text not null,
      media_type text not null,
      -- Of the document as it was uploaded.
      bytes integer not null,
      sha256 text not null,
      passages integer not null,
      text_bytes integer not null,
      -- The title and the passages, as JSON, gzipped and sealed.
      content bytea not null,
      -- SHA-256 of that JSON.
      content_digest text not null,
      actor text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (product_id, path)
    )`.execute(db);
  // As of the catalog: a launch needs the current version, and the product's trigger tells of a change.
  await sql`
    alter table products
      add column knowledge_version integer not null default 0,
      add column knowledge_digest text`.execute(db);
}
