import { sql } from "kysely";
import type { BudgetName } from "../../contract/orchestrator/budgets.ts";
import type { ModelPrice } from "../../contract/orchestrator/price-table.ts";
import { type CallTokens, amountOf, priceOf } from "../rules/call-cost.ts";
import { seedPeriod } from "./budgets.ts";
import type { Db, Trx } from "./database.ts";

/** Longer than most calls. One that lasts longer is counted right when it settles. */
const EXPIRES_MS = 600_000;
const EXPIRED_AT_ONCE = 1000;

/** A budget that binds a call. */
export interface BoundBudget {
  /** Empty for a budget of the whole product. */
  readonly userId: string;
  readonly name: BudgetName;
  readonly period: string;
  readonly limit: number;
  /** The most that the call may count in it. */
  readonly amount: number;
}

export interface NewReservation {
  readonly id: string;
  readonly productId: string;
  readonly provider: string;
  readonly model: string;
  readonly day: string;
  readonly input: number;
  readonly budgets: readonly BoundBudget[];
}

export type ReservationOutcome =
  | { readonly kind: "reserved" }
  /** `isSpent`: by calls that have ended. Otherwise calls in flight hold the rest. */
  | { readonly kind: "full"; readonly budget: BoundBudget; readonly isSpent: boolean; readonly spent: number };

interface PeriodRow {
  readonly user_id: string;
  readonly budget: string;
  readonly granted: string;
  readonly spent: string;
}

/**
 * Reserves a call in all of its budgets, or in none: one conditional update, which serializes all daemons. A call is
 * reserved while less than each limit is held, so that the last one may exceed it and no other.
 */
export async function reserveCall(
  db: Db,
  reservation: NewReservation,
  prices: readonly ModelPrice[],
): Promise<ReservationOutcome> {
  for (;;) {
    const rows = await tryToReserve(db, reservation);
    if (rows === "known") return { kind: "reserved" };
    const { budgets, productId } = reservation;
    const rowOf = ({ userId, name }: BoundBudget) =>
      rows.find(({ user_id, budget }) => user_id === userId && budget === name);
    const missing = budgets.filter((budget) => rowOf(budget) === undefined);
    for (const { userId, name, period } of missing)
      await db.transaction().execute((trx) => seedPeriod(trx, { productId, userId, budget: name, period, prices }));
    if (missing.length > 0) continue;
    const standing = budgets.map((budget) => ({
      budget,
      held: Number(rowOf(budget)?.granted ?? 0),
      spent: Number(rowOf(budget)?.spent ?? 0),
    }));
    const full = standing.filter(({ budget, held }) => held >= budget.limit);
    const [worst] = full.toSorted((left, right) => leftOf(left) - leftOf(right));
    if (worst === undefined) return { kind: "reserved" };
    return { kind: "full", ...worst, isSpent: worst.spent >= worst.budget.limit };
  }
}

const leftOf = ({ budget, spent }: { readonly budget: BoundBudget; readonly spent: number }): number =>
  budget.limit - spent;

/** The periods as they were before, which is what decides. `known`: the question arrived for the second time. */
async function tryToReserve(
  db: Db,
  { id, productId, provider, model, day, input, budgets }: NewReservation,
): Promise<readonly PeriodRow[] | "known"> {
  const held = budgets.map(({ userId: user_id, name: budget, period, amount }) => ({
    user_id,
    budget,
    period,
    amount,
  }));
  const wanted = budgets.map(({ limit }, at) => ({ ...held[at], limit }));
  try {
    const { rows } = await sql<PeriodRow & { readonly is_known: boolean }>`
      with wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
          as budget (user_id text, budget text, period text, amount bigint, "limit" bigint)
      ), locked as (
        select periods.user_id, periods.budget, periods.period, periods.granted, periods.spent, wanted.amount, wanted."limit"
        from budget_periods as periods join wanted using (user_id, budget, period)
        where periods.product_id = ${productId}
        order by periods.budget, periods.period, periods.user_id for update of periods
      ), verdict as (
        select count(*) = ${budgets.length}::int and bool_and(granted < "limit") and not exists (
          select from budget_reservations where id = ${id}
        ) as is_open from locked
      ), reserved as (
        update budget_periods as periods set granted = periods.granted + locked.amount
        from locked, verdict
        where verdict.is_open and periods.product_id = ${productId} and periods.user_id = locked.user_id
          and periods.budget = locked.budget and periods.period = locked.period
      ), stored as (
        insert into budget_reservations (id, product_id, provider, model, day, input, held)
        select ${id}, ${productId}, ${provider}, ${model}, ${day}, ${input}, ${JSON.stringify(held)}::jsonb
        from verdict where is_open
      )
      select user_id, budget, granted, spent,
        exists (select from budget_reservations where id = ${id}) as is_known
      from locked`.execute(db);
    return rows.some(({ is_known }) => is_known) ? "known" : rows;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "23505") return "known";
    throw error;
  }
}

/**
 * Replaces what a call reserved by what it has used. Gives its product: null for a call that was settled before, which
 * changes nothing.
 */
export function settleCall(
  db: Db,
  { id, ...tokens }: CallTokens & { readonly id: string },
  prices: readonly ModelPrice[],
): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<StoredReservation>`
      delete from budget_reservations where id = ${id} returning ${STORED}`.execute(trx);
    const [found] = rows;
    if (found === undefined) return null;
    await replaceHeld(trx, found, amountsOf(found, tokens, prices));
    return found.product_id;
  });
}

/**
 * Counts what the requests alone cost of calls that were not settled in time, such as those of a broker that was killed.
 * One that settles later is counted right.
 */
export async function expireReservations(db: Db, now: number, prices: readonly ModelPrice[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<StoredReservation>`
      select ${STORED} from budget_reservations
      where not is_expired and made_at < ${new Date(now - EXPIRES_MS)}
      order by made_at limit ${EXPIRED_AT_ONCE} for update skip locked`.execute(trx);
    for (const found of rows) {
      const tokens = { input: Number(found.input), output: 0, cache_read: 0, cache_write: 0 };
      const held = amountsOf(found, tokens, prices);
      await replaceHeld(trx, found, held);
      await sql`
        update budget_reservations set is_expired = true, held = ${JSON.stringify(held)}::jsonb
        where id = ${found.id}`.execute(trx);
    }
  });
}

interface Held {
  readonly user_id: string;
  readonly budget: BudgetName;
  readonly period: string;
  readonly amount: number;
}
interface StoredReservation {
  readonly id: string;
  readonly product_id: string;
  readonly provider: string;
  readonly model: string;
  readonly day: string;
  readonly input: string;
  readonly held: readonly Held[];
  readonly is_expired: boolean;
}
const STORED = sql`id, product_id, provider, model, day::text, input, held, is_expired`;

const amountsOf = (found: StoredReservation, tokens: CallTokens, prices: readonly ModelPrice[]): readonly Held[] => {
  const price = priceOf(prices, found);
  return found.held.map((one) => ({ ...one, amount: amountOf(one.budget, tokens, price) }));
};

/** In the order in which calls lock periods. An expired reservation was counted as spent. */
async function replaceHeld(trx: Trx, found: StoredReservation, now: readonly Held[]): Promise<void> {
  const changes = found.held.map(({ user_id, budget, period, amount: before }, at) => {
    const { amount = 0 } = now[at] ?? {};
    return { user_id, budget, period, granted: amount - before, spent: amount - (found.is_expired ? before : 0) };
  });
  await sql`
    with changes as (
      select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as change (user_id text, budget text, period text, granted bigint, spent bigint)
    ), locked as (
      select periods.user_id, periods.budget, periods.period, changes.granted, changes.spent
      from budget_periods as periods join changes using (user_id, budget, period)
      where periods.product_id = ${found.product_id}
      order by periods.budget, periods.period, periods.user_id for update of periods
    )
    update budget_periods as periods
    set granted = periods.granted + locked.granted, spent = periods.spent + locked.spent
    from locked
    where periods.product_id = ${found.product_id} and periods.user_id = locked.user_id
      and periods.budget = locked.budget and periods.period = locked.period`.execute(trx);
}
