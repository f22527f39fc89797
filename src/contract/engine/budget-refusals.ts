import { type BudgetName, isMoney, periodEnd, shownAmount } from "../orchestrator/budgets.ts";

/** Why a call is not made. The fields of `details` are those of the error. */
export interface BudgetRefusal {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> & { readonly budget: string; readonly retry_after: number };
}

/** A budget that refuses: of the engine's user, or of the whole product. */
export interface RefusingBudget {
  readonly scope: "engine" | "product";
  readonly name: BudgetName;
  /** In the counted unit. */
  readonly limit: number;
}

const RETRY_SOON_S = 10;

/** `spent`: null where it is not known. */
export function spentRefusal(
  budget: RefusingBudget,
  { spent, currency, now }: { readonly spent: number | null; readonly currency: string | null; readonly now: number },
): BudgetRefusal {
  const { scope, name, limit } = budget;
  const end = periodEnd(name, now);
  const resets = new Date(end).toISOString();
  const whose = scope === "engine" ? "the user's" : "the product's";
  const shown = `${shownAmount(name, limit)} ${unitOf(name, currency)}`;
  return {
    message: `${whose} budget of ${shown} is spent; it resets at ${resets}`,
    details: {
      ...detailsOf(budget),
      // An engine is not told what the others of its product have spent.
      ...(scope === "engine" && spent !== null && { spent: shownAmount(name, spent) }),
      resets_at: resets,
      retry_after: Math.ceil((end - now) / 1000),
    },
  };
}

export function waitedTooLong(budget: RefusingBudget): BudgetRefusal {
  const why =
    budget.scope === "engine"
      ? "the rest of the user's budget is reserved by calls in flight"
      : "the rest of the product's budget is reserved by calls in flight";
  return { message: `${why}; try again later`, details: { ...detailsOf(budget), retry_after: RETRY_SOON_S } };
}

export function unpricedRefusal(budget: RefusingBudget, model: string, now: number): BudgetRefusal {
  return {
    message: `the price of ${model} is unknown, so that its cost cannot be held against a budget; the operator adds it to ORCH_PRICES`,
    details: {
      ...detailsOf(budget),
      reason: "price_unknown",
      retry_after: Math.ceil((periodEnd(budget.name, now) - now) / 1000),
    },
  };
}

const detailsOf = ({ scope, name, limit }: RefusingBudget) => ({
  budget: `${scope}.${name}`,
  limit: shownAmount(name, limit),
});

function unitOf(name: BudgetName, currency: string | null): string {
  const period = name.endsWith("day") ? "a day" : "a month";
  return isMoney(name) ? `${currency ?? ""} ${period}`.trim() : `tokens ${period}`;
}
