import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit_log (
      seq bigint primary key,
      entry text not null,
      prev_hash text not null,
      hash text not null
    )`.execute(db);
  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'audit_log is append-only';
    end $$`.execute(db);
  await sql`
    create trigger audit_log_unchanged before update or delete on audit_log
    for each row execute function refuse_audit_change()`.execute(db);
  await sql`
    create trigger audit_log_kept before truncate on audit_log
    for each statement execute function refuse_audit_change()`.execute(db);
}
