import { sql } from "kysely";
import t from "tap";
import { RECORD_TABLES } from "../../../src/orchestrator/store/record-dump.ts";
import { onEachServer } from "../../helpers/database.ts";

/** Tables that no backup has, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  console_links: "people sign in again",
  console_sessions: "people sign in again",
  identity_keys: "made anew, and published where products read them",
  notification_deliveries: "the host that was backed up sends them",
  notification_position: "follows from the events",
  ports: "made anew by the restore",
  token_keys: "a token that was revoked since must not be valid again",
};

onEachServer(t, "each table is in a backup, or left out for a reason", async (t, { db }) => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely_%'`.execute(db);
  t.same(rows.map(({ name }) => name).toSorted(), [...Object.keys(RECORD_TABLES), ...Object.keys(LEFT_OUT)].toSorted());
});
