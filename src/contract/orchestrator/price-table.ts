import * as z from "zod/mini";
import { describeIssue } from "../../shared/parse.ts";
import { USAGE_LIMITS } from "../engine/metered-usage.ts";
import { MICRO, microsOf } from "../micro-units.ts";

/** Prices of one model from a UTC day on, in micro-units of the table's currency per million tokens. */
export interface ModelPrice {
  readonly provider: string;
  readonly model: string;
  /** `YYYY-MM-DD`. */
  readonly valid_from: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** The operator's prices. Days before the first entry of a model have no price. */
export interface PriceTable {
  /** ISO 4217. */
  readonly currency: string;
  readonly prices: readonly ModelPrice[];
}

const MAX_AMOUNT = 1_000_000;
const MAX_PRICES = 5000;
export const MAX_PRICE_TABLE_BYTES = 1024 * 1024;

const AMOUNT = `expected a number from 0 to ${MAX_AMOUNT} with at most 6 decimals`;

/** An amount of money in units. It is stored in whole micro-units. */
export const money = () =>
  z.number(AMOUNT).check(z.refine((units) => units >= 0 && units <= MAX_AMOUNT && isMicros(units), { error: AMOUNT }));

/** Whether an amount is a whole number of micro-units. */
const isMicros = (units: number): boolean => microsOf(units) / MICRO === units;

const DAY = "expected a day as YYYY-MM-DD";
const name = z
  .string()
  .check(z.minLength(1), z.maxLength(USAGE_LIMITS.nameLength), z.regex(/^\P{Cc}+$/u, "expected no control characters"));
const price = z.strictObject({
  provider: name,
  model: name,
  valid_from: z.iso.date(DAY),
  input: money(),
  output: money(),
  cache_read: z.optional(money()),
  cache_write: z.optional(money()),
});
const CURRENCY = "expected a currency as three capital letters, such as USD";
const priceFile = z.strictObject({
  currency: z.string(CURRENCY).check(z.regex(/^[A-Z]{3}$/, CURRENCY)),
  prices: z.array(price).check(z.maxLength(MAX_PRICES)),
});

export type PriceTableOutcome =
  | { readonly kind: "read"; readonly table: PriceTable }
  /** The problems, each with its path, such as `prices[3].input`. */
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

/** Parses a price table and reports all problems with their paths. Cached tokens default to the price of input. */
export function readPriceTable(text: string): PriceTableOutcome {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { kind: "invalid", problems: [`expected JSON: ${(error as SyntaxError).message}`] };
  }
  const parsed = z.safeParse(priceFile, json, { error: describeIssue, reportInput: true });
  if (!parsed.success) return { kind: "invalid", problems: parsed.error.issues.map(problemOf) };
  const { currency, prices } = parsed.data;
  const problems = repeated(prices);
  if (problems.length > 0) return { kind: "invalid", problems };
  return { kind: "read", table: { currency, prices: prices.map(inMicros) } };
}

function inMicros({
  input,
  output,
  cache_read = input,
  cache_write = input,
  ...of
}: z.output<typeof price>): ModelPrice {
  const amounts = { input, output, cache_read, cache_write };
  return {
    ...of,
    ...(Object.fromEntries(Object.entries(amounts).map(([kind, units]) => [kind, microsOf(units)])) as typeof amounts),
  };
}

function repeated(prices: readonly z.output<typeof price>[]): readonly string[] {
  const first = new Map<string, number>();
  return prices.flatMap(({ provider, model, valid_from }, at) => {
    const key = `${provider}\n${model}\n${valid_from}`;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, at);
    return earlier === undefined
      ? []
      : [`prices[${at}]: prices[${earlier}] has the same provider, model and valid_from`];
  });
}

function problemOf({ path, message, ...issue }: z.core.$ZodIssue): string {
  const names = issue.code === "unrecognized_keys" ? [...path, ...issue.keys.slice(0, 1)] : path;
  const place = names
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
  const problem = issue.code === "unrecognized_keys" ? "unknown field" : message;
  return `${place || "the file"}: ${problem}`;
}
