import { type Expression, type SqlBool, sql } from "kysely";
import { BUDGET_NAMES, isMoney } from "../../contract/orchestrator/budgets.ts";
import type { ModelPrice } from "../../contract/orchestrator/price-table.ts";
import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";
import type { EngineRow } from "./tables.ts";
import { spentByLedger } from "./usage-query.ts";

/** One engine's share of a product's budget in one period. Amounts are tokens or micro-units. */
interface LeaseKey {
  readonly productId: string;
  readonly budget: string;
  readonly period: string;
  /** The id of the ledger in the engine's store. */
  readonly ledger: string;
  /** The price table, for a cost budget. */
  readonly prices: readonly ModelPrice[];
}

interface LeaseState {
  /** What the engine may spend in the whole period, including what it has spent. */
  readonly granted: number;
  /** The sum of all engines of the product. */
  readonly productGranted: number;
  readonly productSpent: number;
}

/**
 * Of an engine that calls its model itself, and not through the broker, whose calls are reserved one by one: records what
 * it has spent and grants it up to `ahead` more, as far as the budget allows. The conditional update
 * of the period's row serializes engines and daemons: together they are never granted more than `limit`. Spending beyond
 * an engine's share, by the call in flight, reduces what is left for the others.
 */
export function leaseBudget(
  db: Db,
  key: LeaseKey,
  { limit, spent, ahead }: { readonly limit: number; readonly spent: number; readonly ahead: number },
): Promise<LeaseState> {
  return db.transaction().execute(async (trx) => {
    const lease = await lockLease(trx, key);
    const now = Math.max(lease.spent, spent);
    const held = Math.max(lease.granted, now);
    const wanted = Math.max(0, now + ahead - held);
    const { productId, budget, period } = key;
    const { rows } = await sql<Period & { before: string }>`
      with before as (
        select granted from budget_periods
        where product_id = ${productId} and budget = ${budget} and period = ${period} and user_id = '' for update
      )
      update budget_periods as after set spent = after.spent + ${now - lease.spent}::bigint,
        granted = after.granted + ${held - lease.granted}::bigint
          + least(${wanted}::bigint, greatest(0, ${limit}::bigint - after.granted - ${held - lease.granted}::bigint))
      from before where product_id = ${productId} and budget = ${budget} and period = ${period} and user_id = ''
      returning after.granted, after.spent, before.granted as before`.execute(trx);
    const [row] = rows;
    const added = Number(row?.granted ?? 0) - Number(row?.before ?? 0);
    await setLease(trx, key, { granted: lease.granted + added, spent: now });
    return stateOf(lease.granted + added, row);
  });
}

/** Reduces an engine's share to `held`, after the engine has confirmed that it does not spend the rest. */
export function returnLease(
  db: Db,
  key: LeaseKey,
  { held, spent }: { readonly held: number; readonly spent: number },
): Promise<LeaseState> {
  return db.transaction().execute(async (trx) => {
    const lease = await lockLease(trx, key);
    const now = Math.max(lease.spent, spent);
    const granted = Math.max(now, held);
    const { productId, budget, period } = key;
    const { rows } = await sql<Period>`
      update budget_periods set granted = granted + ${granted - lease.granted}::bigint,
        spent = spent + ${now - lease.spent}::bigint
      where product_id = ${productId} and budget = ${budget} and period = ${period} and user_id = ''
      returning granted, spent`.execute(trx);
    await setLease(trx, key, { granted, spent: now });
    return stateOf(granted, rows[0]);
  });
}

interface Period {
  readonly granted: string;
  readonly spent: string;
}

async function lockLease(trx: Trx, key: LeaseKey): Promise<{ readonly granted: number; readonly spent: number }> {
  const { productId, budget, period, ledger } = key;
  await seedPeriod(trx, { ...key, userId: "" });
  await sql`
    insert into budget_leases (product_id, budget, period, ledger) values (${productId}, ${budget}, ${period}, ${ledger})
    on conflict do nothing`.execute(trx);
  const { rows } = await sql<Period>`
    select granted, spent from budget_leases
    where product_id = ${productId} and budget = ${budget} and period = ${period} and ledger = ${ledger}
    for update`.execute(trx);
  return { granted: Number(rows[0]?.granted ?? 0), spent: Number(rows[0]?.spent ?? 0) };
}

interface PeriodKey extends Omit<LeaseKey, "ledger"> {
  /** Empty for the budget of the whole product. */
  readonly userId: string;
}

/** Makes a period that does not exist yet, with what was spent in it before. */
export async function seedPeriod(trx: Trx, key: PeriodKey): Promise<void> {
  const { productId, userId, budget, period } = key;
  const { numAffectedRows = 0n } = await sql`
    insert into budget_periods (product_id, user_id, budget, period)
    values (${productId}, ${userId}, ${budget}, ${period}) on conflict do nothing`.execute(trx);
  if (numAffectedRows > 0n) await countEarlier(trx, key);
}

/** Counts the spending before the period's first call, including that of sleeping and deleted engines. */
async function countEarlier(trx: Trx, { productId, userId, budget, period, prices }: PeriodKey): Promise<void> {
  const rows = await spentByLedger(trx, { productId, userId: userId === "" ? null : userId, period, prices });
  const isCost = budget.startsWith("cost");
  const leases = rows.map(({ ledger, tokens, micros }) => ({ ledger, spent: isCost ? micros : tokens }));
  // Shares are of the product's budgets alone.
  if (userId === "")
    await sql`
      insert into budget_leases (product_id, budget, period, ledger, granted, spent)
      select ${productId}, ${budget}, ${period}, ledger, spent, spent
      from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb) as lease (ledger uuid, spent bigint)`.execute(trx);
  const total = leases.reduce((sum, { spent }) => sum + spent, 0);
  await sql`
    update budget_periods set granted = ${total}::bigint, spent = ${total}::bigint
    where product_id = ${productId} and user_id = ${userId} and budget = ${budget} and period = ${period}`.execute(trx);
}

/** What a product has spent in a period. */
export function productSpent(db: Db, key: Omit<PeriodKey, "userId">): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await seedPeriod(trx, { ...key, userId: "" });
    const { productId, budget, period } = key;
    const { rows } = await sql<Period>`
      select granted, spent from budget_periods
      where product_id = ${productId} and budget = ${budget} and period = ${period} and user_id = ''`.execute(trx);
    return Number(rows[0]?.spent ?? 0);
  });
}

async function setLease(
  trx: Trx,
  { productId, budget, period, ledger }: LeaseKey,
  { granted, spent }: { readonly granted: number; readonly spent: number },
): Promise<void> {
  await sql`
    update budget_leases set granted = ${granted}::bigint, spent = ${spent}::bigint
    where product_id = ${productId} and budget = ${budget} and period = ${period} and ledger = ${ledger}`.execute(trx);
}

const stateOf = (granted: number, period: Period | undefined): LeaseState => ({
  granted,
  productGranted: Number(period?.granted ?? 0),
  productSpent: Number(period?.spent ?? 0),
});

interface BudgetNotice {
  readonly type: "budget.warned" | "budget.spent";
  /** The engine whose report caused the notice. */
  readonly engine: Pick<EngineRow, "id" | "product_id" | "user_id" | "incarnation">;
  /** Whether it is the budget of the whole product. */
  readonly isProducts: boolean;
  readonly budget: string;
  readonly period: string;
  /** In the units of the policy. */
  readonly spent: number;
  readonly limit: number;
}

/** Writes a notice as an event, once in its period. */
export function storeNotice(db: Db, events: EventLog, notice: BudgetNotice): Promise<void> {
  const { type, engine, isProducts, budget, period, spent, limit } = notice;
  const whose = isProducts ? { productId: engine.product_id } : { engine };
  return db.transaction().execute(async (trx) => {
    const { numAffectedRows = 0n } = await sql`
      insert into budget_notices (product_id, user_id, budget, period, notice)
      values (${engine.product_id}, ${isProducts ? "" : engine.user_id}, ${budget}, ${period}, ${type}) on conflict do nothing`.execute(
      trx,
    );
    if (numAffectedRows === 0n) return;
    await events.insert(trx, { type, ...whose, data: { budget, period, spent, limit } });
  });
}

/** A user's budgets are other ones from now on: their notices are written again. */
export async function forgetNotices(trx: Trx, productId: string, userIds: readonly string[]): Promise<void> {
  await sql`
    delete from budget_notices where product_id = ${productId} and user_id = any(${[...userIds]}) and user_id <> ''`.execute(
    trx,
  );
}

/**
 * Counts what a user has spent while no budget bound them: calls are reserved only under budgets, and a plan with them may
 * follow one without. What is reserved stays.
 */
export async function countUnbound(
  trx: Trx,
  { productId, userId, prices }: Pick<PeriodKey, "productId" | "userId" | "prices">,
): Promise<void> {
  const { rows } = await sql<{ budget: string; period: string }>`
    select budget, period from budget_periods
    where product_id = ${productId} and user_id = ${userId} and period like to_char(now() at time zone 'utc', 'YYYY-MM') || '%'
    order by budget, period for update`.execute(trx);
  for (const { budget, period } of rows) {
    const spending = await spentByLedger(trx, { productId, userId, period, prices });
    const total = spending.reduce((sum, { tokens, micros }) => sum + (budget.startsWith("cost") ? micros : tokens), 0);
    await sql`
      update budget_periods set granted = granted + greatest(0, ${total}::bigint - spent),
        spent = greatest(spent, ${total}::bigint)
      where product_id = ${productId} and user_id = ${userId} and budget = ${budget} and period = ${period}`.execute(
      trx,
    );
  }
}

/** Deletes reservations, leases, periods and notices that are older than 62 days. */
export async function purgeBudgets(db: Db, now: number): Promise<void> {
  const before = new Date(now - 62 * 86_400_000).toISOString().slice(0, 10);
  await sql`delete from budget_reservations where made_at < ${new Date(now - 62 * 86_400_000)}`.execute(db);
  for (const table of ["budget_leases", "budget_notices", "budget_periods"])
    await sql`delete from ${sql.table(table)} where period < ${before.slice(0, 7)} or (length(period) = 10 and period < ${before})`.execute(
      db,
    );
}

/** The slugs of products that limit costs, by their own policy, a plan's or an engine's. */
export async function productsWithCostBudgets(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("products")
    .select("slug")
    .where((eb) =>
      eb.or([
        limitsCosts("products.policy"),
        eb.exists(
          eb.selectFrom("plans").whereRef("plans.product_id", "=", "products.id").where(limitsCosts("plans.policy")),
        ),
        eb.exists(
          eb
            .selectFrom("engines")
            .whereRef("engines.product_id", "=", "products.id")
            .where(limitsCosts("engines.own_policy")),
        ),
      ]),
    )
    .orderBy("slug")
    .execute();
  return rows.map(({ slug }) => slug);
}

const COSTS = BUDGET_NAMES.filter(isMoney).map((name) => `exists($.budgets.*.${name})`);

const limitsCosts = (policy: string): Expression<SqlBool> =>
  sql<boolean>`${sql.ref(policy)} @@ ${COSTS.join(" || ")}::jsonpath`;
