import { MICRO } from "../../contract/micro-units.ts";
import { type BudgetName, isMoney } from "../../contract/orchestrator/budgets.ts";
import type { ModelPrice } from "../../contract/orchestrator/price-table.ts";

/** Tokens of a call. `input` counts the whole request, with cache reads and writes. */
export interface CallTokens {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** The price that is valid on a day. Null for a model without one. */
export function priceOf(
  prices: readonly ModelPrice[],
  { provider, model, day }: { readonly provider: string; readonly model: string; readonly day: string },
): ModelPrice | null {
  const valid = prices.filter(
    (price) => price.provider === provider && price.model === model && price.valid_from <= day,
  );
  return valid.toSorted((left, right) => (left.valid_from < right.valid_from ? 1 : -1))[0] ?? null;
}

/** What a call counts in a budget: tokens, or micro-units. A call without a price costs nothing. */
export function amountOf(name: BudgetName, tokens: CallTokens, price: ModelPrice | null): number {
  const { input, output, cache_read: read, cache_write: write } = tokens;
  if (!isMoney(name)) return input + output;
  if (price === null) return 0;
  const plain = BigInt(Math.max(0, input - read - write)) * BigInt(price.input) + BigInt(output) * BigInt(price.output);
  const cached = BigInt(read) * BigInt(price.cache_read) + BigInt(write) * BigInt(price.cache_write);
  return Number((plain + cached) / BigInt(MICRO));
}

/** The most that a call of this size can count. */
export function mostOf(
  name: BudgetName,
  { input, output }: Pick<CallTokens, "input" | "output">,
  price: ModelPrice | null,
): number {
  const plain = { input, output, cache_read: 0, cache_write: 0 };
  const ways = [plain, { ...plain, cache_read: input }, { ...plain, cache_write: input }];
  return Math.max(...ways.map((tokens) => amountOf(name, tokens, price)));
}
