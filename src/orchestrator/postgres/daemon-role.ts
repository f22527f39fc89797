import type { Client } from "pg";

/** What the daemon works as: it owns no table and is given only what it needs, so that it cannot rewrite the audit log. */
export const DAEMON_ROLE = "orchd_daemon";

/** Makes the role, or puts right one that a start cut short has left. The password is ours: it needs no quoting. */
export async function ensureDaemonRole(owner: Client, password: string): Promise<void> {
  const { rowCount } = await owner.query("select from pg_roles where rolname = $1", [DAEMON_ROLE]);
  if (rowCount === 0) await owner.query(`create role ${DAEMON_ROLE}`);
  await owner.query(
    `alter role ${DAEMON_ROLE} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
  );
}
