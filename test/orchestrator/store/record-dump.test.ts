import { sql } from "kysely";
import t from "tap";
import { RECORD_TABLES, dumpRecords } from "../../../src/orchestrator/store/record-dump.ts";
import { onEachServer } from "../../helpers/database.ts";

/** Tables that no backup has, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  connections: "an authorization server may end a login whose old refresh token is used",
  logins: "their links are valid for minutes",
  login_clients: "registered anew",
  console_links: "people sign in again",
  console_sessions: "people sign in again",
  identity_keys: "made anew, and published where products read them",
  notification_deliveries: "the host that was backed up sends them",
  notification_position: "follows from the events",
  ports: "made anew by the restore",
  revocations: "the host that was backed up ends them",
  token_keys: "a token that was revoked since must not be valid again",
};

onEachServer(t, "each table is in a backup, or left out for a reason", async (t, { db }) => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely_%'`.execute(db);
  t.same(rows.map(({ name }) => name).toSorted(), [...Object.keys(RECORD_TABLES), ...Object.keys(LEFT_OUT)].toSorted());
});

onEachServer(t, "the vault is only in a backup that a passphrase encrypts", async (t, { db }) => {
  await sql`insert into products (id, slug, policy) values ('prd_1', 'demo', '{}')`.execute(db);
  await sql`insert into data_keys (product_id, sealed) values ('prd_1', 'key')`.execute(db);
  await sql`
    insert into secrets (product_id, user_id, name, sealed, hosts, place)
    values ('prd_1', '', 'GITHUB', 'value', '{github.com}', 'header')`.execute(db);
  const tablesOf = async (isEncrypted: boolean) => {
    const tables: string[] = [];
    await dumpRecords(db, { hostId: "host", isEncrypted }, async ({ table }) => void tables.push(table));
    return tables;
  };
  t.same(await tablesOf(true), ["products", "data_keys", "secrets"]);
  t.same(await tablesOf(false), ["products"]);
});
