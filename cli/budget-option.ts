import { InvalidArgumentError } from "commander";
import { BUDGET_NAMES, type BudgetName, type Budgets, NO_BUDGETS } from "../src/contract/orchestrator/budgets.ts";

const EXPECTED = `engine or product with ${BUDGET_NAMES.join(", ")}, as in engine.tokens_per_day=200000; warn_at=0.8; or none`;

/** Reads one `--budget` and adds it to the previous ones, since budgets are replaced as a whole. */
export function budget(text: string, before: Budgets = NO_BUDGETS): Budgets {
  if (text === "none") return NO_BUDGETS;
  const [, key = "", amount = ""] = /^([\w.]+)=(\d{1,15}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (key === "warn_at") return { ...before, warn_at: Number(amount) };
  const [scope, name = ""] = key.split(".");
  if ((scope !== "engine" && scope !== "product") || !isBudgetName(name))
    throw new InvalidArgumentError(`Expected ${EXPECTED}.`);
  return { ...before, [scope]: { ...before[scope], [name]: Number(amount) } };
}

const isBudgetName = (name: string): name is BudgetName => BUDGET_NAMES.some((known) => known === name);

/** `engine: 200000 tokens_per_day; product: 50 cost_per_month`. Null without any. */
export function describeBudgets({ engine, product, warn_at: warnAt }: Budgets): string | null {
  const parts = Object.entries({ engine, product }).flatMap(([scope, limits]) => {
    const listed = BUDGET_NAMES.flatMap((name) => (limits[name] === undefined ? [] : [`${name} ${limits[name]}`]));
    return listed.length === 0 ? [] : [`${scope}: ${listed.join(", ")}`];
  });
  return parts.length === 0 ? null : [...parts, `warned at ${Math.round(warnAt * 100)} %`].join("; ");
}
