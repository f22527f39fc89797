import { type BudgetName, type Budgets, isMoney, limitsOf, periodOf } from "../../contract/orchestrator/budgets.ts";
import type { EngineBudgets } from "../../contract/engine/budgets.ts";
import type { PriceTable } from "../../contract/orchestrator/price-table.ts";

/** An engine's share of a budget of its product. */
export interface Lease {
  readonly name: BudgetName;
  readonly period: string;
  readonly granted: number;
  readonly isSpent: boolean;
}

export const hasBudgets = ({ engine, product }: Budgets): boolean =>
  limitsOf(engine).length + limitsOf(product).length > 0;

/** The budgets that are sent to one engine. `leases`: its shares of the product's budgets; without one it has no share yet. */
export function engineBudgetsOf(
  { engine, product }: Budgets,
  {
    table,
    providers,
    leases = [],
    now,
  }: {
    readonly table: PriceTable | null;
    /** Those that the engine can call. */
    readonly providers: readonly string[];
    readonly leases?: readonly Lease[];
    readonly now: number;
  },
): EngineBudgets {
  const [own, shared] = [limitsOf(engine), limitsOf(product)];
  const needsPrices = [...own, ...shared].some(({ name }) => isMoney(name));
  const prices = (table?.prices ?? []).filter((price) => providers.includes(price.provider));
  return {
    currency: table?.currency ?? null,
    prices: needsPrices ? prices.map((price) => ({ ...price })) : [],
    own: own.map(({ name, limit }) => ({ name, limit })),
    leases: shared.map(({ name, limit }) => {
      const lease = leases.find((one) => one.name === name);
      const period = lease?.period ?? periodOf(name, now);
      return { name, limit, period, granted: lease?.granted ?? 0, is_spent: lease?.isSpent ?? false };
    }),
  };
}

/** The notice for a spent amount. Null below the warning threshold. */
export function noticeOf(spent: number, limit: number, warnAt: number): "budget.warned" | "budget.spent" | null {
  if (spent >= limit) return "budget.spent";
  return spent >= limit * warnAt ? "budget.warned" : null;
}

/** The part of a product's budget that an engine holds in advance, so that few calls wait for the daemon. */
const AHEAD = 100;

export const aheadOf = (limit: number, wanted: number): number => Math.max(1, Math.ceil(limit / AHEAD), wanted);
