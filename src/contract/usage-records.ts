import type { Page } from "./orchestrator-records.ts";

/** What usage can be grouped by. `product` is for operators. */
export const USAGE_GROUPS = ["product", "user", "day", "model"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Metered usage of one group. The fields of what it is not grouped by are left out. */
export interface UsageRecord {
  readonly product_id?: string;
  readonly user_id?: string;
  /** A UTC day, `YYYY-MM-DD`. */
  readonly day?: string;
  readonly provider?: string;
  readonly model?: string;
  /** Calls that reached the provider and reported their tokens, including retries and learning. */
  readonly model_calls: number;
  /** Calls that ended without the provider's token count. Their tokens are estimated. */
  readonly estimated_calls: number;
  /** Including those read from and written to the provider's cache. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Null when grouped by model, as are the next three. */
  readonly turns: number | null;
  readonly failed_turns: number | null;
  readonly tool_calls: number | null;
  /** Wall time of turns, waits for a person included. */
  readonly turn_ms: number | null;
  /** In millionths of the currency. Null when the price of any of the tokens is unknown. */
  readonly cost_micros: number | null;
  /** Tokens of models without a price. */
  readonly unpriced_tokens: number;
}

export interface UsagePage extends Page<UsageRecord> {
  /** Of the price table; null without one. */
  readonly currency: string | null;
  /** The first and the last UTC day, both included. */
  readonly since: string;
  readonly until: string;
}

/** The price table in effect. */
export interface PricesRecord {
  readonly currency: string;
  /** Entries of the table. */
  readonly entries: number;
}
