import * as z from "zod/mini";
import { BUDGET_NAMES, type BudgetName } from "./budgets.ts";

const amount = z.int().check(z.gte(0));
const name = z.enum(BUDGET_NAMES);

/** The budgets that one engine enforces. Amounts are tokens, or micro-units of the currency. */
export const engineBudgets = z.object({
  currency: z.nullable(z.string()),
  prices: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      valid_from: z.string(),
      input: amount,
      output: amount,
      cache_read: amount,
      cache_write: amount,
    }),
  ),
  /** The engine's own budgets. */
  own: z.array(z.object({ name, limit: amount })),
  /**
   * Its share (lease) of each budget of the product. It spends at most `granted` in the period, and waits for more until the
   * product's budget `is_spent`. A share of another period is invalid.
   */
  leases: z.array(z.object({ name, limit: amount, period: z.string(), granted: amount, is_spent: z.boolean() })),
});
export type EngineBudgets = z.output<typeof engineBudgets>;

/** A price table as large as it may be. */
export const MAX_BUDGETS_BYTES = 1024 * 1024;

export const NO_ENGINE_BUDGETS: EngineBudgets = { currency: null, prices: [], own: [], leases: [] };

/** What an engine has spent of its budgets. */
export const budgetReport = z.object({
  ledger: z.uuid(),
  spent: z
    .array(
      z.object({
        name,
        period: z.string().check(z.maxLength(10)),
        spent: amount,
        /** Spent, and reserved for calls in flight. */
        held: amount,
        /** The amount that waiting calls need. */
        wanted: amount,
      }),
    )
    .check(z.maxLength(BUDGET_NAMES.length)),
});
export type BudgetReport = z.output<typeof budgetReport>;
export type BudgetSpent = BudgetReport["spent"][number] & { readonly name: BudgetName };
