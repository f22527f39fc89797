import type { UsageEntry } from "@orchd/client";
import { NONE } from "../../parts/format.ts";

export const tokensOf = ({ input_tokens, output_tokens }: UsageEntry): number => input_tokens + output_tokens;

export const costText = (micros: number | null, currency: string | null): string =>
  micros === null ? NONE : `${(micros / 1e6).toFixed(2)}${currency === null ? "" : ` ${currency}`}`;
