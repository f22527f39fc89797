import { type Migration, Migrator } from "kysely/migration";
import { ORCHESTRATOR_MIGRATIONS } from "../../../migrations/orchestrator/index.ts";
import type { Db } from "./database.ts";

/** The database was migrated by a newer daemon, whose schema this one does not know. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";
}

/** The role does not own the tables and may not migrate them. */
export class NotOwner extends Error {
  override readonly name = "NotOwner";
}

const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Migrates the tables to this daemon's schema under a lock, and returns the executed migrations. Forward only: throws
 * {@link NewerSchema} for a database of a newer daemon and leaves it unchanged.
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
      `the role of DATABASE_URL may not migrate the tables (${error.message}); start orchd once as their owner, then grant as docs/operating.md says`,
    );
  }
  throw error;
}
