import { type Migration, Migrator } from "kysely/migration";
import { ORCHESTRATOR_MIGRATIONS } from "../../../migrations/orchestrator/index.ts";
import type { Db } from "./database.ts";

/** The database was migrated by a newer daemon: this one does not know its tables. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";
}

/** Tables are migrated by their owner: another role has been given less. */
export class NotOwner extends Error {
  override readonly name = "NotOwner";
}

const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Brings the tables to this daemon's schema; the migrator holds a lock, so that two daemons starting together do it
 * once. Forward only: a database from a newer daemon is refused untouched.
 */
export async function migrateToLatest(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve<Record<string, Migration>>(ORCHESTRATOR_MIGRATIONS) },
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map((result) => result.migrationName);
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new NewerSchema(`the database was migrated by a newer orchd (${error.message})`);
  }
  if (error instanceof Error && "code" in error && error.code === INSUFFICIENT_PRIVILEGE) {
    throw new NotOwner(
      `the role of DATABASE_URL may not migrate the tables (${error.message}); start orchd once as their owner, then grant as the README says`,
    );
  }
  throw error;
}
