import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table engines add column handle jsonb`.execute(db);
  // As the process backend writes it: the engines of an earlier daemon are found again after the upgrade.
  await sql`
    update engines set handle = jsonb_build_object('backend', 'process', 'version', 1,
      'pid', pid, 'bootId', boot_id, 'startTime', process_start)
    where pid is not null and boot_id is not null and process_start is not null`.execute(db);
  await sql`alter table engines drop column pid, drop column boot_id, drop column process_start`.execute(db);
}
