import { type BudgetName, isMoney, periodOf } from "../../contract/orchestrator/budgets.ts";
import type { EngineBudgets } from "../../contract/engine/budgets.ts";
import type { UsageRow } from "../../contract/engine/metered-usage.ts";
import { MICRO } from "../../contract/micro-units.ts";

type Prices = EngineBudgets["prices"];
type Price = Prices[number];

/** Tokens or micro-units. */
export interface Amount {
  readonly tokens: number;
  readonly micros: number;
}

/** The price that is valid on a day. */
export function priceOn(prices: Prices, { provider, model, day }: Pick<UsageRow, "provider" | "model" | "day">) {
  const valid = prices.filter(
    (price) => price.provider === provider && price.model === model && price.valid_from <= day,
  );
  return valid.reduce<Price | null>(
    (latest, price) => (latest === null || price.valid_from > latest.valid_from ? price : latest),
    null,
  );
}

/** What rows cost that have a price, in whole micro-units, divided once. */
function costOf(rows: readonly UsageRow[], prices: Prices): number {
  let total = 0n;
  for (const row of rows) {
    const price = priceOn(prices, row);
    if (price === null) continue;
    const { input_tokens: input, cache_read_tokens: read, cache_write_tokens: write, output_tokens: output } = row;
    total += BigInt(input - read - write) * BigInt(price.input) + BigInt(output) * BigInt(price.output);
    total += BigInt(read) * BigInt(price.cache_read) + BigInt(write) * BigInt(price.cache_write);
  }
  return Number(total / BigInt(MICRO));
}

/** What a budget's period has cost so far, by the rows of its month. */
export function spentOf(
  name: BudgetName,
  { rows, prices, now }: { rows: readonly UsageRow[]; prices: Prices; now: number },
) {
  const period = periodOf(name, now);
  const own = rows.filter(({ day }) => day.startsWith(period));
  if (isMoney(name)) return costOf(own, prices);
  return own.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0);
}

/** The most that a call may cost. */
export function reservationOf(
  tokens: { readonly input: number; readonly output: number },
  price: Price | null,
): Amount {
  const { input, output } = tokens;
  const dearest = price === null ? 0 : Math.max(price.input, price.cache_read, price.cache_write);
  const micros = Math.ceil((input * dearest + output * (price?.output ?? 0)) / MICRO);
  return { tokens: input + output, micros };
}
