import * as z from "zod/mini";
import { type RecordOf, field, nullable, page, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";

const optionalText = z.exactOptional(text);
const day = z.iso.date();
const countOrNull = (meaning: string, example: number) =>
  nullable(count, `${meaning} \`null\` when grouped by model.`, example);

const usageRecord = record(
  "UsageRecord",
  "What was used by one group. The fields of what it is not grouped by are left out.",
  {
    product_id: field(optionalText, "The product's id.", "prd_01jd3v7xq4"),
    plan: field(
      optionalText,
      "The [plan](plans.md) that the user's engine has now, not the one of that day. Empty: none, or no engine.",
      "pro",
    ),
    user_id: field(optionalText, "The product's id of the user.", "alice"),
    day: field(z.exactOptional(day), "A UTC day.", "2026-11-01"),
    provider: field(optionalText, "The provider of the model.", "anthropic"),
    model: field(optionalText, "The model's id at its provider.", "claude-sonnet-4-5"),
    model_calls: field(
      count,
      "Calls that reached the provider and reported their tokens, including retries and learning.",
      21,
    ),
    estimated_calls: field(
      count,
      "Calls that ended without the provider's count of tokens. Their tokens are estimated.",
      0,
    ),
    input_tokens: field(count, "Including those read from and written to the provider's cache.", 18_230),
    output_tokens: field(count, "Tokens that models wrote.", 2_110),
    cache_read_tokens: field(count, "Input tokens that were read from the provider's cache.", 12_000),
    cache_write_tokens: field(count, "Input tokens that were written to the provider's cache.", 4_000),
    turns: countOrNull("Turns that ended.", 7),
    failed_turns: countOrNull("Turns that ended with an error.", 0),
    tool_calls: countOrNull("Calls of tools.", 12),
    turn_ms: countOrNull("Milliseconds from begin to end of the turns, waits for a person included.", 42_000),
    cost_micros: nullable(
      count,
      "Cost in millionths of the currency. `null` when the price of any of the tokens is unknown.",
      93_400,
    ),
    unpriced_tokens: field(count, "Tokens of models without a price.", 0),
  },
);
export type UsageRecord = RecordOf<typeof usageRecord>;

const usagePage = z
  .extend(page(usageRecord, "Usage by group."), {
    currency: nullable(text, "The currency of the price table. `null` without one.", "USD"),
    since: field(day, "The first UTC day.", "2026-11-01"),
    until: field(day, "The last UTC day, included.", "2026-11-30"),
  })
  .check(z.meta({ title: "UsagePage" }));
export type UsagePage = RecordOf<typeof usagePage>;

const pricesRecord = record("PricesRecord", "The price table in effect.", {
  currency: field(text, "The currency in ISO 4217.", "USD"),
  entries: field(count, "Entries of the table.", 12),
});
export type PricesRecord = RecordOf<typeof pricesRecord>;

export const USAGE_RESPONSES = { UsagePage: usagePage, PricesRecord: pricesRecord };
