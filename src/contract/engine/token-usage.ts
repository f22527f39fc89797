import { field } from "../record.ts";
import { count } from "../response-schemas.ts";

/** Tokens as the provider counts them. */
export const tokenUsage = {
  input_tokens: field(count, "Tokens of the input, with those read from the provider's cache.", 10_762),
  output_tokens: field(count, "Tokens of the output, with those of reasoning.", 311),
  cache_hit_tokens: field(count, "Tokens of the input that the provider read from its cache.", 9800),
};
