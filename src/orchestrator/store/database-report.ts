import { sql } from "kysely";
import type { Db } from "./database.ts";

interface DatabaseReport {
  /** Such as `18.4`. */
  readonly version: string;
  /** The duration of one query on an open connection. */
  readonly roundTripMs: number;
  readonly now: Date;
}

/** Rejects while the database is unavailable. */
export async function databaseReport(db: Db): Promise<DatabaseReport> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(
      connection,
    );
    const startedAt = performance.now();
    const answer = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(connection);
    const roundTripMs = Math.round(performance.now() - startedAt);
    return { version: rows[0]?.version ?? "", roundTripMs, now: answer.rows[0]?.now ?? new Date(0) };
  });
}
