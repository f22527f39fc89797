import { sql } from "kysely";
import { USAGE_AMOUNTS, type UsageAmount } from "../../contract/engine/metered-usage.ts";
import type { ModelPrice } from "../../contract/orchestrator/price-table.ts";
import type { UsageGroup } from "../../contract/orchestrator/usage-groups.ts";
import type { Db } from "./database.ts";

interface UsageQuery {
  /** Null for all products. */
  readonly productId: string | null;
  readonly userId: string | null;
  readonly since: string;
  readonly until: string;
  readonly by: readonly UsageGroup[];
  /** The values of the last group of the previous page. */
  readonly after: readonly string[] | null;
  readonly limit: number;
  readonly prices: readonly ModelPrice[];
}

export interface UsageGroupRow {
  /** In the order of {@link keysOf}. */
  readonly keys: readonly string[];
  readonly amounts: Readonly<Record<UsageAmount, number>>;
  /** In micro-units; of the tokens that have a price. */
  readonly costMicros: number;
  readonly unpricedTokens: number;
}

const COLUMNS = {
  product: ["product_id"],
  plan: ["plan"],
  user: ["user_id"],
  day: ["day"],
  model: ["provider", "model"],
} as const;
/** Usage is stored by user; the plan is that of the user's engine. */
const WITH_PLANS = sql`left join engines on engines.product_id = days.product_id and engines.user_id = days.user_id`;
const valueOf = (key: KeyColumn) => (key === "plan" ? sql`coalesce(engines.plan, '')` : sql.ref(`days.${key}`));
type KeyColumn = (typeof COLUMNS)[UsageGroup][number];

/** The columns of a group's key. */
export const keysOf = (by: readonly UsageGroup[]): readonly KeyColumn[] => by.flatMap((group) => [...COLUMNS[group]]);

/**
 * Sums by group, in the order of their keys. Costs are exact: whole tokens by whole micro-units, divided once at the end.
 * The price of a day is the one that is valid on it.
 */
export async function queryUsage(db: Db, query: UsageQuery): Promise<readonly UsageGroupRow[]> {
  const { productId, userId, since, until, by, after, limit, prices } = query;
  const keys = keysOf(by);
  const names = sql.join(keys.map(valueOf));
  const afterKeys = after === null ? null : sql.join(after.map((value, at) => sql`${value}::${typeOf(keys[at])}`));
  const sums = USAGE_AMOUNTS.map((name) => sql`sum(${sql.ref(`days.${name}`)})::text as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, string>>`
    with ${pricesAs(prices)}
    select ${sql.join(keys.map((key) => sql`${valueOf(key)}::text as ${sql.ref(key)}`).concat(sums))},
      ${COST}::text as cost,
      coalesce(sum(days.input_tokens + days.output_tokens) filter (where prices.provider is null), 0)::text as unpriced
    from usage_days as days
    ${by.includes("plan") ? WITH_PLANS : sql``}
    ${WITH_PRICES}
    where days.day between ${since}::date and ${until}::date
      ${productId === null ? sql`` : sql`and days.product_id = ${productId}`}
      ${userId === null ? sql`` : sql`and days.user_id = ${userId}`}
      ${by.includes("model") ? sql`and days.model <> ''` : sql``}
      ${afterKeys === null ? sql`` : sql`and (${names}) > (${afterKeys})`}
    group by ${names} order by ${names} limit ${limit}`.execute(db);
  return rows.map((row) => ({
    keys: keys.map((key) => row[key] ?? ""),
    amounts: Object.fromEntries(USAGE_AMOUNTS.map((name) => [name, Number(row[name])])) as Record<UsageAmount, number>,
    costMicros: Number(row["cost"]),
    unpricedTokens: Number(row["unpriced"]),
  }));
}

/** The spending of a product's engines in a UTC day or month, by ledger. Tokens without a price cost nothing. */
export async function spentByLedger(
  db: Db,
  {
    productId,
    userId,
    period,
    prices,
  }: {
    readonly productId: string;
    readonly userId: string | null;
    readonly period: string;
    readonly prices: readonly ModelPrice[];
  },
): Promise<readonly { readonly ledger: string; readonly tokens: number; readonly micros: number }[]> {
  const { rows } = await sql<{ ledger: string; tokens: string; micros: string }>`
    with ${pricesAs(prices)}
    select ledger, sum(days.input_tokens + days.output_tokens)::text as tokens, ${COST}::text as micros
    from usage_days as days ${WITH_PRICES}
    where days.product_id = ${productId} and days.day::text like ${`${period}%`} and days.model <> ''
      ${userId === null ? sql`` : sql`and days.user_id = ${userId}`}
    group by ledger`.execute(db);
  return rows.map(({ ledger, tokens, micros }) => ({ ledger, tokens: Number(tokens), micros: Number(micros) }));
}

/** A table expression of the prices, each with the day on which the next one replaces it. */
const pricesAs = (prices: readonly ModelPrice[]) => sql`
  prices as materialized (
    select *, lead(valid_from) over (partition by provider, model order by valid_from) as valid_until
    from jsonb_to_recordset(${JSON.stringify(prices)}::jsonb) as price (
      provider text, model text, valid_from date, input numeric, output numeric, cache_read numeric, cache_write numeric
    )
  )`;
const WITH_PRICES = sql`
  left join prices on prices.provider = days.provider and prices.model = days.model
    and prices.valid_from <= days.day and (prices.valid_until is null or prices.valid_until > days.day)`;
const COST = sql`trunc(coalesce(sum(
  (days.input_tokens - days.cache_read_tokens - days.cache_write_tokens) * prices.input
  + days.cache_read_tokens * prices.cache_read + days.cache_write_tokens * prices.cache_write
  + days.output_tokens * prices.output
), 0) / 1000000)`;

const typeOf = (key: KeyColumn | undefined) => sql.raw(key === "day" ? "date" : "text");
