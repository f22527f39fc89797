import * as z from "zod/mini";
import { BUDGET_NAMES, type BudgetName } from "../orchestrator/budgets.ts";
import { type RecordOf, field, record } from "../record.ts";

const amount = z.int().check(z.gte(0));
const name = z.enum(BUDGET_NAMES);

export const engineBudgets = record(
  "EngineBudgets",
  "The budgets that one engine enforces. Amounts are tokens, or micro-units of the currency.",
  {
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
    own: field(z.array(z.object({ name, limit: amount })), "The engine's own budgets."),
    leases: field(
      z.array(z.object({ name, limit: amount, period: z.string(), granted: amount, is_spent: z.boolean() })),
      "Its share (lease) of each budget of the product. It spends at most `granted` in the period, and waits for more until the product's budget `is_spent`. A share of another period is invalid.",
    ),
  },
);
export type EngineBudgets = RecordOf<typeof engineBudgets>;

/** A price table as large as it may be. */
export const MAX_BUDGETS_BYTES = 1024 * 1024;

export const NO_ENGINE_BUDGETS: EngineBudgets = { currency: null, prices: [], own: [], leases: [] };

export const budgetReport = record("BudgetReport", "What an engine has spent of its budgets.", {
  ledger: z.uuid(),
  spent: z
    .array(
      z.object({
        name,
        period: z.string().check(z.maxLength(10)),
        spent: amount,
        held: field(amount, "Spent, and reserved for calls in flight."),
        wanted: field(amount, "The amount that waiting calls need."),
      }),
    )
    .check(z.maxLength(BUDGET_NAMES.length)),
});
export type BudgetReport = RecordOf<typeof budgetReport>;
export type BudgetSpent = BudgetReport["spent"][number] & { readonly name: BudgetName };
