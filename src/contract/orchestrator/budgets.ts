import { MICRO, microsOf } from "../micro-units.ts";

export const BUDGET_NAMES = ["tokens_per_day", "tokens_per_month", "cost_per_day", "cost_per_month"] as const;
export type BudgetName = (typeof BUDGET_NAMES)[number];

/** Limits in tokens, and in units of the price table's currency. An omitted limit is no limit. */
type BudgetLimits = { readonly [Name in BudgetName]?: number | undefined };

/** A product's budgets by UTC day and month: for each of its engines, and for all of them together. */
export interface Budgets {
  readonly engine: BudgetLimits;
  readonly product: BudgetLimits;
  readonly warn_at: number;
}

export const BUDGET_MEANINGS: Readonly<Record<keyof Budgets | BudgetName, string>> = {
  engine: "What each engine may spend. A limit left out is no limit.",
  product: "What all engines of the product may spend together. A limit left out is no limit.",
  warn_at: "The share of a budget, above 0 and at most 1, at which `budget.warned` is written.",
  tokens_per_day: "Tokens in a UTC day.",
  tokens_per_month: "Tokens in a UTC month.",
  cost_per_day: "Cost in a UTC day, in units of the price table's currency.",
  cost_per_month: "Cost in a UTC month, in units of the price table's currency.",
};

export const NO_BUDGETS: Budgets = { engine: {}, product: {}, warn_at: 0.8 };

export const isMoney = (name: BudgetName): boolean => name.startsWith("cost");
const isDaily = (name: BudgetName): boolean => name.endsWith("day");

/** A limit in the counted unit: tokens, or micro-units. */
const countedLimit = (name: BudgetName, limit: number): number => (isMoney(name) ? microsOf(limit) : limit);
/** A counted amount in the unit of its limit. */
export const shownAmount = (name: BudgetName, amount: number): number => (isMoney(name) ? amount / MICRO : amount);

/** The UTC day (`2026-11-22`) or month (`2026-11`) of a time in milliseconds. */
export const periodOf = (name: BudgetName, ms: number): string =>
  new Date(ms).toISOString().slice(0, isDaily(name) ? 10 : 7);

/** When the period of a time ends, in milliseconds. */
export function periodEnd(name: BudgetName, ms: number): number {
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return isDaily(name) ? Date.UTC(year, month, date.getUTCDate() + 1) : Date.UTC(year, month + 1, 1);
}

/** The limits that are set, in the order of the names. */
export const limitsOf = (limits: BudgetLimits): readonly { readonly name: BudgetName; readonly limit: number }[] =>
  BUDGET_NAMES.flatMap((name) => {
    const limit = limits[name];
    return limit === undefined ? [] : [{ name, limit: countedLimit(name, limit) }];
  });
