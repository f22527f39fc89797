import { sql } from "kysely";
import {
  USAGE_AMOUNTS,
  USAGE_LIMITS,
  type UsageCursor,
  type UsageReport,
} from "../../contract/engine/metered-usage.ts";
import type { Db } from "./database.ts";

/** The engine, user and product to whom usage belongs. */
export interface UsageOwner {
  readonly productId: string;
  readonly userId: string;
  readonly engineId: string;
}

/** The most rows of one user and day, over all ledgers. Engines are not trusted. */
const MAX_ROWS_PER_DAY = 4 * USAGE_LIMITS.modelsPerDay;

const NAMES = sql.raw(USAGE_AMOUNTS.join(", "));
const COLUMNS = sql.raw(USAGE_AMOUNTS.map((name) => `${name} bigint`).join(", "));
const REPLACED = sql.raw(USAGE_AMOUNTS.map((name) => `${name} = excluded.${name}`).join(", "));

/**
 * Stores a report and the ledger's cursor in one statement. A row contains the sums of its day and replaces only an older
 * revision. A report that is stored twice, late or by two daemons therefore counts once.
 */
export async function storeUsage(db: Db, owner: UsageOwner, report: UsageReport): Promise<void> {
  const { productId, userId, engineId } = owner;
  const { ledger, revision, rows } = report;
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (day date, provider text, model text, revision bigint, ${COLUMNS})
    ), cursor as (
      insert into usage_ledgers (product_id, user_id, ledger, engine_id, revision)
      values (${productId}, ${userId}, ${ledger}, ${engineId}, ${revision})
      on conflict (product_id, user_id, ledger) do update
      set revision = greatest(usage_ledgers.revision, excluded.revision), engine_id = excluded.engine_id,
        collected_at = now()
    )
    insert into usage_days (product_id, user_id, ledger, day, provider, model, revision, ${NAMES})
    select ${productId}, ${userId}, ${ledger}::uuid, day, provider, model, revision, ${NAMES} from given
    where (
      select count(*) from usage_days as kept
      where kept.product_id = ${productId} and kept.user_id = ${userId} and kept.day = given.day
    ) < ${MAX_ROWS_PER_DAY}
    -- A fixed order prevents deadlocks between writers.
    order by day, provider, model
    on conflict (product_id, user_id, day, provider, model, ledger) do update
    set revision = excluded.revision, ${REPLACED}
    where usage_days.revision < excluded.revision`.execute(db);
}

/** How far the usage of a user's engine is collected, by the ledger that was read last. Null before the first report. */
export async function findUsageCursor(
  db: Db,
  { productId, userId }: Pick<UsageOwner, "productId" | "userId">,
): Promise<UsageCursor | null> {
  const { rows } = await sql<{ ledger: string; revision: string }>`
    select ledger, revision from usage_ledgers where product_id = ${productId} and user_id = ${userId}
    order by collected_at desc limit 1`.execute(db);
  const [found] = rows;
  return found === undefined ? null : { ledger: found.ledger, revision: Number(found.revision) };
}

/** Records that all usage of an incarnation is collected, and that it can spend nothing more. */
export async function storeUsageCollected(db: Db, engine: { readonly id: string; readonly incarnation: string }) {
  await sql`
    update engines set usage_collected = incarnation
    where id = ${engine.id} and incarnation = ${engine.incarnation}`.execute(db);
}

/** Deletes the usage of days that are kept no longer. */
export async function purgeUsage(db: Db, now: number): Promise<void> {
  const before = new Date(now - USAGE_LIMITS.keptDays * 86_400_000).toISOString().slice(0, 10);
  await sql`delete from usage_days where day < ${before}`.execute(db);
  await sql`delete from usage_ledgers where collected_at < ${before}`.execute(db);
}
