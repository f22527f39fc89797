import * as z from "zod/mini";
import { type RecordOf, field, record } from "../record.ts";

/** The counters of model calls and turns. All are integers. */
export const USAGE_AMOUNTS = [
  "model_calls",
  "estimated_calls",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "turns",
  "failed_turns",
  "tool_calls",
  "turn_ms",
] as const;
export type UsageAmount = (typeof USAGE_AMOUNTS)[number];
/** A reader's position in a ledger. */
export interface UsageCursor {
  readonly ledger: string;
  readonly revision: number;
}

/** Bounds of an engine's ledger. Further models of a day are counted as `other`. */
export const USAGE_LIMITS = { rowsPerReport: 50, modelsPerDay: 50, nameLength: 128, keptDays: 400 } as const;

/** Exact as a double, also as the sum of many engines. */
const amount = z.int().check(z.gte(0), z.lte(1e12));
const name = z.string().check(z.maxLength(USAGE_LIMITS.nameLength), z.regex(/^\P{Cc}*$/u));

/** `input_tokens` includes those read from and written to the provider's cache. */
const amounts = Object.fromEntries(USAGE_AMOUNTS.map((one) => [one, amount])) as Record<UsageAmount, typeof amount>;
export type UsageAmounts = Readonly<Record<UsageAmount, number>>;

const usageRow = record(
  "UsageRow",
  "The usage of one engine, UTC day and model. In rows of turns, provider and model are empty.",
  {
    day: z.iso.date(),
    provider: name,
    model: name,
    revision: field(amount, "Rises with each change of any row of the ledger."),
    ...amounts,
  },
);
export type UsageRow = RecordOf<typeof usageRow>;

export const usageReport = record(
  "UsageReport",
  "Rows of an engine's ledger that have changed since a revision, in order of their revision. Each holds the sums of its day so far, so that a row that is read twice is not counted twice.",
  {
    ledger: field(
      z.uuid(),
      "Identifies the engine's store. A store that replaces a damaged one counts from zero under another id.",
    ),
    revision: field(amount, "Of the last row."),
    rows: z.array(usageRow).check(z.maxLength(USAGE_LIMITS.rowsPerReport)),
    more: field(z.boolean(), "Whether there are further rows."),
  },
);
export type UsageReport = RecordOf<typeof usageReport>;

/** The UTC day of a time in milliseconds, as `YYYY-MM-DD`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The query value of a position; empty for none. */
export const formatCursor = (cursor: UsageCursor | null): string =>
  cursor === null ? "" : `${cursor.ledger}:${cursor.revision}`;

/** Null for anything but a formatted position. */
export function parseCursor(text: string): UsageCursor | null {
  const [, ledger, revision] = /^([0-9a-f-]{36}):(\d{1,15})$/.exec(text) ?? [];
  return ledger === undefined ? null : { ledger, revision: Number(revision) };
}
