import { sql } from "kysely";
import type { Db } from "./database.ts";

interface SealedTable {
  /** The columns of its primary key, all of them texts. */
  readonly key: readonly string[];
  readonly sealed: readonly string[];
}

/** Every column that is sealed with the deployment's secret key itself. A test compares them with the schema. */
export const SEALED_COLUMNS: Readonly<Record<string, SealedTable>> = {
  data_keys: { key: ["product_id"], sealed: ["sealed"] },
  products: { key: ["id"], sealed: ["engine_env", "tool_hook_secret", "tool_hook_previous_secret"] },
  token_keys: { key: ["kid"], sealed: ["private_key"] },
  identity_keys: { key: ["kid"], sealed: ["private_key"] },
  connections: { key: ["engine_id", "server"], sealed: ["tokens"] },
  revocations: { key: ["id"], sealed: ["tokens"] },
  logins: { key: ["hash"], sealed: ["flow"] },
  login_clients: { key: ["product_id", "issuer", "callback_url"], sealed: ["client"] },
  notification_endpoints: { key: ["id"], sealed: ["secret", "previous_secret"] },
  webhooks: { key: ["id"], sealed: ["secret", "previous_secret"] },
  scheduled_runs: { key: ["id"], sealed: ["request"] },
  console_sessions: { key: ["id"], sealed: ["id_token"] },
  catalog_archives: { key: ["product_id", "digest"], sealed: ["archive"] },
  knowledge_documents: { key: ["product_id", "path"], sealed: ["content"] },
};

/** Rows have up to 8 MiB. */
const BATCH_ROWS: Readonly<Record<string, number>> = { catalog_archives: 1, knowledge_documents: 1 };
const BATCH = 200;

export interface SealedRow {
  readonly key: readonly string[];
  readonly sealed: Readonly<Record<string, Buffer | null>>;
}

/** Rows with a sealed value, by their keys, after the key `after`. */
export async function sealedRows(
  db: Db,
  table: string,
  after: readonly string[] | null,
): Promise<readonly SealedRow[]> {
  const { key, sealed } = tableOf(table);
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const { rows } = await sql<Record<string, string | Buffer | null>>`
    select ${keys}, ${sql.join(sealed.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where coalesce(${sql.join(sealed.map((column) => sql.ref(column)))}) is not null
      ${after === null ? sql`` : sql`and (${keys}) > (${sql.join(after)})`}
    order by ${keys} limit ${sql.lit(BATCH_ROWS[table] ?? BATCH)}`.execute(db);
  return rows.map((row) => ({
    key: key.map((column) => row[column] as string),
    sealed: Object.fromEntries(sealed.map((column) => [column, row[column] as Buffer | null])),
  }));
}

/** Replaces a sealed value, unless it has changed meanwhile: then it is sealed with the current key already. */
export async function replaceSealed(
  db: Db,
  table: string,
  {
    key,
    column,
    before,
    after,
  }: { readonly key: readonly string[]; readonly column: string; readonly before: Buffer; readonly after: Buffer },
): Promise<void> {
  const columns = sql.join(tableOf(table).key.map((name) => sql.ref(name)));
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${after}
    where (${columns}) = (${sql.join(key)}) and ${sql.ref(column)} = ${before}`.execute(db);
}

function tableOf(name: string): SealedTable {
  const table = SEALED_COLUMNS[name];
  if (table === undefined) throw new Error(`${name} has no sealed columns`);
  return table;
}
