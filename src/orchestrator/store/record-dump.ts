import { sql } from "kysely";
import { ownersOfEngines } from "./host-engines.ts";
import type { Db, Trx } from "./database.ts";

/** The tables of a backup, in an order in which their rows can be inserted, and the order of the rows. */
export const RECORD_TABLES = {
  products: "id",
  product_keys: "hash",
  catalog_archives: "product_id, digest",
  catalog_versions: "product_id, version",
  knowledge_documents: "product_id, path",
  plans: "product_id, name",
  engines: "id",
  open_questions: "engine_id, request_id",
  hosts: "host_id",
  schedules: "id",
  webhooks: "id",
  scheduled_runs: "id",
  idempotency_keys: "scope, key",
  events: "seq",
  audit_log: "seq",
  usage_days: "product_id, user_id, day, provider, model, ledger",
  usage_ledgers: "product_id, user_id, ledger",
  budget_periods: "product_id, budget, period, user_id",
  budget_reservations: "id",
  budget_leases: "product_id, budget, period, ledger",
  budget_notices: "product_id, user_id, budget, period, notice",
  notification_endpoints: "id",
  data_keys: "product_id",
  secrets: "product_id, user_id, name",
} as const;
/** Tables of which a backup has only the rows of its host. The other tables belong to all hosts of the database. */
const OF_HOST: readonly string[] = [
  "engines",
  "open_questions",
  "hosts",
  "schedules",
  "webhooks",
  "scheduled_runs",
  "idempotency_keys",
  "events",
];

const BATCH_ROWS = 500;
/** Tables of the vault. Only an encrypted backup has their rows: a backup may contain the key that opens them. */
const ENCRYPTED_ONLY: readonly string[] = ["data_keys", "secrets"];
/** Tables with rows of some MiB. They are read one row at a time. */
const LARGE_ROWS: readonly string[] = ["catalog_archives", "knowledge_documents"];

export interface RecordBatch {
  readonly table: string;
  /** One JSON object per row. */
  readonly lines: readonly string[];
}

/** Reads the records of a host in one snapshot, batch by batch. Returns its engines. */
export function dumpRecords(
  db: Db,
  { hostId, isEncrypted }: { readonly hostId: string; readonly isEncrypted: boolean },
  take: (batch: RecordBatch) => Promise<void>,
): Promise<{ readonly engines: Awaited<ReturnType<typeof ownersOfEngines>> }> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      // The transaction is idle while the archive is written. It locks nothing.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
      const engines = await ownersOfEngines(trx, hostId);
      for (const [table, order] of Object.entries(RECORD_TABLES))
        if (isEncrypted || !ENCRYPTED_ONLY.includes(table)) await dumpTable(trx, { table, order, hostId, take });
      return { engines };
    });
}

interface TableDump {
  readonly table: string;
  readonly order: string;
  readonly hostId: string;
  readonly take: (batch: RecordBatch) => Promise<void>;
}

async function dumpTable(trx: Trx, { table, order, hostId, take }: TableDump): Promise<void> {
  const where = OF_HOST.includes(table) ? sql`where host_id = ${sql.lit(hostId)}` : sql``;
  const batch = LARGE_ROWS.includes(table) ? 1 : BATCH_ROWS;
  await sql`
    declare dump no scroll cursor for
    select row_to_json(t)::text as line from ${sql.table(table)} as t ${where} order by ${sql.raw(order)}`.execute(trx);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(batch)} from dump`.execute(trx);
    if (rows.length > 0) await take({ table, lines: rows.map(({ line }) => line) });
    if (rows.length < batch) break;
  }
  await sql`close dump`.execute(trx);
}
