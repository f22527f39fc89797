import { type Kysely, sql } from "kysely";

/** The secret of a product's hook on tools, sealed with the deployment's secret key. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table products
      add column tool_hook_secret bytea,
      add column tool_hook_previous_secret bytea,
      add column tool_hook_previous_expires_at timestamptz`.execute(db);
}
