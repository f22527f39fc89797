import * as z from "zod/mini";
import { integer } from "../shared/parse.ts";
import { money } from "./price-table.ts";

const MAX_TOKENS = 1_000_000_000_000;
const limits = z.strictObject({
  tokens_per_day: z.optional(integer(0, MAX_TOKENS)),
  tokens_per_month: z.optional(integer(0, MAX_TOKENS)),
  cost_per_day: z.optional(money()),
  cost_per_month: z.optional(money()),
});
const SHARE = "expected a number above 0 and at most 1";

/** The budgets of a policy patch. They are replaced as a whole: an omitted budget is removed. */
export const budgetsPatch = z.strictObject({
  engine: z._default(limits, {}),
  product: z._default(limits, {}),
  warn_at: z._default(z.number(SHARE).check(z.refine((share) => share > 0 && share <= 1, { error: SHARE })), 0.8),
});
