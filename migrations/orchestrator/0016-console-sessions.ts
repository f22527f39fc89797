import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table console_sessions (
      id text primary key,
      -- SHA-256 of the token in the cookie.
      hash text not null unique,
      role text not null check (role in ('admin', 'read_only')),
      opened_by text not null check (opened_by in ('admin_key', 'link')),
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`
    create table console_links (
      -- SHA-256 of the link's token.
      hash text primary key,
      role text not null check (role in ('admin', 'read_only')),
      expires_at timestamptz not null
    )`.execute(db);
}
