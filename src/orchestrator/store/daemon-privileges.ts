import { sql } from "kysely";
import type { Db } from "./database.ts";

/** What a role that is not the owner of the tables needs; the README tells the same for a PostgreSQL of one's own. */
export const daemonGrants = (role: string): readonly string[] => [
  `grant usage on schema public to ${role}`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
  `revoke insert, update, delete on kysely_migration, kysely_migration_lock from ${role}`,
  `revoke update, delete on audit_log from ${role}`,
];

/** Gives a role what the daemon needs, as the owner of the tables: all of it, or nothing when it is cut short. */
export async function grantDaemonPrivileges(owner: Db, role: string): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    for (const grant of daemonGrants(role)) await sql.raw(grant).execute(trx);
  });
}

/** Whether our role may change or remove lines of the audit log: it owns the table, or is a superuser, or was let. */
export async function mayRewriteAudit(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select pg_has_role(relowner, 'member') or has_table_privilege(oid, 'update, delete, truncate')
      or has_any_column_privilege(oid, 'update') as may
    from pg_class where oid = 'audit_log'::regclass`.execute(db);
  return rows[0]?.may === true;
}
