import { type Migration, type MigrationResultSet, Migrator } from "kysely/migration";
import { sql } from "kysely";
import { ORCHESTRATOR_MIGRATIONS } from "../../../migrations/orchestrator/index.ts";
import { hasCode } from "../../shared/error-code.ts";
import type { Db } from "./database.ts";

/** The database was migrated by a newer daemon, whose schema this one does not know. */
class NewerSchema extends Error {
  override readonly name = "NewerSchema";
}

/** The role does not own the tables and may not migrate them. */
class NotOwner extends Error {
  override readonly name = "NotOwner";
}

const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Migrates the tables to this daemon's schema under a lock, and returns the executed migrations. Forward only: throws
 * {@link NewerSchema} for a database of a newer daemon and leaves it unchanged.
 */
export async function migrateToLatest(db: Db): Promise<readonly string[]> {
  return (await isLatest(db)) ? [] : migrate(db, (migrator) => migrator.migrateToLatest());
}

/** Every schema that this daemon knows: the names of the migrations, in order. */
export const SCHEMAS: readonly string[] = Object.keys(ORCHESTRATOR_MIGRATIONS);

/** Like {@link migrateToLatest}, to an earlier schema that the database has not passed: migrations go forward only. */
export function migrateTo(db: Db, schema: string): Promise<readonly string[]> {
  return migrate(db, (migrator) => migrator.migrateTo(schema));
}

/** Checked before Kysely's migrator, which reads all tables and columns of the database (60 ms of CPU time). */
async function isLatest(db: Db): Promise<boolean> {
  if (!(await hasMigrations(db))) return false;
  const { missing, unknown } = await schemaDifference(db);
  return missing.length === 0 && unknown.length === 0;
}

async function migrate(db: Db, run: (migrator: Migrator) => Promise<MigrationResultSet>): Promise<readonly string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve<Record<string, Migration>>(ORCHESTRATOR_MIGRATIONS) },
  });
  const { error, results = [] } = await run(migrator);
  if (error === undefined) return results.map((result) => result.migrationName);
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new NewerSchema(`the database was migrated by a newer orchd (${error.message})`);
  }
  if (error instanceof Error && hasCode(error, INSUFFICIENT_PRIVILEGE)) {
    throw new NotOwner(
      `the role of DATABASE_URL may not migrate the tables (${error.message}); start orchd once as their owner, then grant as docs/operating.md says`,
    );
  }
  throw error;
}

/** Migrations of this daemon that have not run, and executed ones that it does not know. */
export async function schemaDifference(
  db: Db,
): Promise<{ readonly missing: readonly string[]; readonly unknown: readonly string[] }> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const executed = rows.map(({ name }) => name);
  const known = Object.keys(ORCHESTRATOR_MIGRATIONS);
  return {
    missing: known.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !known.includes(name)),
  };
}

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

/** The last migration of a database, or null for one without tables. */
export async function schemaOf(db: Db): Promise<string | null> {
  if (!(await hasMigrations(db))) return null;
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1`.execute(db);
  return rows[0]?.name ?? null;
}

async function hasMigrations(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db);
  return rows[0]?.found === true;
}
