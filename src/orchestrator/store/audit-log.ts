import { sql } from "kysely";
import type { AuditRecord } from "../../contract/orchestrator/audit.ts";
import { type AuditHead, GENESIS_HASH, auditHash } from "../../contract/orchestrator/audit-chain.ts";
import type { Db, Trx } from "./database.ts";
import { currentRequest } from "../../shared/request-context.ts";
import { origin } from "./events.ts";

interface AuditEntry {
  readonly action: string;
  readonly product_id?: string;
  readonly engine_id?: string;
  /** The changed fields, without secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Appends a line in the transaction of its change, so that no change lacks its line. */
export async function appendAudit(trx: Trx, entry: AuditEntry): Promise<void> {
  // Each line follows the previous one, so that numbers and hashes form one chain.
  await lockAudit(trx);
  const last = await trx
    .selectFrom("audit_log")
    .select(["seq", "hash"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  const line = {
    seq: Number(last?.seq ?? 0) + 1,
    entry: JSON.stringify({ at: new Date().toISOString(), ...origin(), ...sessionOfCall(), ...entry }),
    prev_hash: last?.hash ?? GENESIS_HASH,
  };
  await trx
    .insertInto("audit_log")
    .values({ ...line, seq: String(line.seq), hash: auditHash(line) })
    .execute();
}

/**
 * Serializes appends until the end of the transaction. Against deadlocks every transaction locks rows first, then the audit
 * log, then the events, which an insert locks.
 */
export const lockAudit = (trx: Trx): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtext('orchd'), hashtext('audit_log'))`.execute(trx);

/** Omitted for a call with a key, and for the daemon's own work. */
function sessionOfCall(): { readonly session?: string; readonly person?: string } {
  const { session, person } = currentRequest() ?? {};
  return { ...(session !== undefined && { session }), ...(person !== undefined && { person }) };
}

/** Lines in order, after the sequence number `after`. */
export async function listAudit(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditRecord[]> {
  const rows = await db
    .selectFrom("audit_log")
    .selectAll()
    .where("seq", ">", String(after))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** The newest head and the head at `seq`, each null when there is no such line. */
export async function readHeads(
  db: Db,
  seq: number,
): Promise<{ readonly newest: AuditHead | null; readonly atSeq: AuditHead | null }> {
  const rows = await db
    .selectFrom("audit_log")
    .select(["seq", "hash"])
    .where((eb) => eb.or([eb("seq", "=", String(seq)), eb("seq", "=", sql<string>`(select max(seq) from audit_log)`)]))
    .orderBy("seq")
    .execute();
  const heads = rows.map((row) => ({ seq: Number(row.seq), hash: row.hash }));
  return { newest: heads.at(-1) ?? null, atSeq: heads.find((head) => head.seq === seq) ?? null };
}

/** Which of these products the audit log records as deleted. */
export async function deletedProducts(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const productId = sql<string>`entry::jsonb ->> 'product_id'`;
  const rows = await db
    .selectFrom("audit_log")
    .select(productId.as("id"))
    .where(sql`entry::jsonb ->> 'action'`, "=", "product.deleted")
    .where(productId, "in", ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
