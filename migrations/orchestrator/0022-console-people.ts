import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ["console_sessions", "console_links"]) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_role_check`)}`.execute(db);
    await sql`update ${sql.table(table)} set role = 'viewer' where role = 'read_only'`.execute(db);
    await sql`alter table ${sql.table(table)} add check (role in ('viewer', 'operator', 'admin'))`.execute(db);
  }
  await sql`
    alter table console_sessions
      -- Who signed in by OpenID Connect: the provider's id of the person, which never changes, and what it calls them.
      add column subject text,
      add column person_name text,
      add column email text,
      -- With which the provider ends its own session. Encrypted.
      add column id_token bytea,
      drop constraint console_sessions_opened_by_check,
      add constraint console_sessions_opened_by_check check (opened_by in ('admin_key', 'link', 'oidc')),
      add check ((opened_by = 'oidc') = (subject is not null))`.execute(db);
}
