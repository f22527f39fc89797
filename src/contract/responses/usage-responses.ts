import * as z from "zod/mini";
import { count, text, textOrNull } from "../response-schemas.ts";
import type { PricesRecord, UsagePage } from "../usage-records.ts";

const countOrNull = z.nullable(count);
const day = z.iso.date();

export const usagePage = z.object({
  data: z.array(
    z.object({
      product_id: z.exactOptional(text),
      user_id: z.exactOptional(text),
      day: z.exactOptional(day),
      provider: z.exactOptional(text),
      model: z.exactOptional(text),
      model_calls: count,
      estimated_calls: count,
      input_tokens: count,
      output_tokens: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
      turns: countOrNull,
      failed_turns: countOrNull,
      tool_calls: countOrNull,
      turn_ms: countOrNull,
      cost_micros: countOrNull,
      unpriced_tokens: count,
    }),
  ),
  next_cursor: textOrNull,
  currency: textOrNull,
  since: day,
  until: day,
}) satisfies z.ZodMiniType<UsagePage>;

export const pricesRecord = z.object({ currency: text, entries: count }) satisfies z.ZodMiniType<PricesRecord>;
