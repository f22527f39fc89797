import type { ModelRequest } from "./model-provider.ts";

const CHARACTERS_PER_TOKEN = 4;
// CJK and similar scripts.
const TOKENS_PER_WIDE_CHARACTER = 0.8;

/** Estimated tokens of a text; scale by a provider's reported usage for accuracy. */
export function textTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e7f) wide++;
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide * TOKENS_PER_WIDE_CHARACTER);
}

export const valueTokens = (value: unknown): number => textTokens(JSON.stringify(value) ?? "");

/** Estimated tokens of system prompt, tools and messages. */
export const requestTokens = ({ system, tools, messages }: ModelRequest): number =>
  valueTokens(system) + valueTokens(tools) + valueTokens(messages);
