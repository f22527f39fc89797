import { sql } from "kysely";
import type { Db } from "./database.ts";

/** The grants for a role that does not own the tables. The README lists them for an external PostgreSQL. */
export const daemonGrants = (role: string): readonly string[] => [
  `grant usage on schema public to ${role}`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
  `revoke insert, update, delete on kysely_migration, kysely_migration_lock from ${role}`,
  `revoke update, delete on audit_log from ${role}`,
];

/** Grants a role the daemon's privileges in one transaction. `owner` connects as the owner of the tables. */
export async function grantDaemonPrivileges(owner: Db, role: string): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    for (const grant of daemonGrants(role)) await sql.raw(grant).execute(trx);
  });
}

/** Whether our role may rewrite the audit log, as owner, as superuser or by a grant. */
export async function mayRewriteAudit(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select pg_has_role(relowner, 'member') or has_table_privilege(oid, 'update, delete, truncate')
      or has_any_column_privilege(oid, 'update') as may
    from pg_class where oid = 'audit_log'::regclass`.execute(db);
  return rows[0]?.may === true;
}
