import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { startBundledPostgres } from "../postgres/start-bundled-postgres.ts";
import type { Connection } from "../store/database.ts";
import type { Config } from "./config.ts";

export interface ReachableDatabase {
  readonly connection: Connection;
  /** The owner of the tables, if that is another role than that of `connection`. */
  readonly owner?: Connection;
  readonly describe: string;
  /** Restarts the bundled server if it has stopped. */
  readonly ensureRunning?: () => Promise<void>;
}

interface DatabaseParts {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  readonly resources: Releasers;
}

/** The database of the settings. The bundled server is started, and released with `resources`. */
export async function locateDatabase({
  config,
  installDir,
  logger,
  resources,
}: DatabaseParts): Promise<ReachableDatabase> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, describe: "PostgreSQL at DATABASE_URL" };
  }
  const bundled = await startBundledPostgres({ installDir, dataDir: config.dataDir, logger });
  resources.push(() => bundled.stop());
  return bundled;
}
