import { sql } from "kysely";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { openDatabase } from "../../../src/orchestrator/store/database.ts";
import { migrateTo, migrateToLatest } from "../../../src/orchestrator/store/migrate.ts";
import { createDatabase, sharedPostgres } from "../../helpers/shared-postgres.ts";

/** The last schema with the roles `admin` and `read_only`. */
const EARLIER = "0019-waiting-requests";

t.test("open sessions and links of an earlier release keep what they may do", async (t) => {
  const server = await sharedPostgres();
  const database = await createDatabase(t, server);
  const { db, close } = openDatabase({ ...server, database }, createLogger("test", "silent"));
  t.teardown(close);
  await migrateTo(db, EARLIER);
  await sql`insert into console_sessions (id, hash, role, opened_by, created_at, last_used_at, expires_at)
    select 'ses_' || role, role, role, 'link', now(), now(), now() from unnest(array['admin', 'read_only']) as role`.execute(
    db,
  );
  await sql`insert into console_links values ('one', 'read_only', now())`.execute(db);
  await migrateToLatest(db);
  const rows = await db.selectFrom("console_sessions").select(["id", "role", "subject"]).orderBy("id").execute();
  t.same(rows, [
    { id: "ses_admin", role: "admin", subject: null },
    { id: "ses_read_only", role: "viewer", subject: null },
  ]);
  t.same(await db.selectFrom("console_links").select("role").execute(), [{ role: "viewer" }]);
  await t.rejects(sql`update console_sessions set role = 'read_only'`.execute(db), { code: "23514" });
  await t.rejects(sql`update console_sessions set opened_by = 'oidc'`.execute(db), { code: "23514" });
});
