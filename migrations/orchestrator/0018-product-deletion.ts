import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // Set while a deletion destroys the product's engines, and after one that failed.
  await sql`alter table products add column deletion_started_at timestamptz`.execute(db);
}
