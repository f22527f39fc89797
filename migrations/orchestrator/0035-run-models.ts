import { type Kysely, sql } from "kysely";

/** The model and the effort of the turns that schedules and webhooks start. Null: those of the agent. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ["schedules", "webhooks"])
    await sql`alter table ${sql.table(table)} add column model text, add column effort text`.execute(db);
}
