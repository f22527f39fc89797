import type { ModelRequest } from "./model-provider.ts";

const CHARACTERS_PER_TOKEN = 4;
// What is written without an alphabet takes about a token for each sign.
const TOKENS_PER_WIDE_CHARACTER = 0.8;

/** About how many tokens a text is. Providers count differently: it is to be scaled by what one of them said. */
export function textTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e7f) wide++;
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide * TOKENS_PER_WIDE_CHARACTER);
}

export const valueTokens = (value: unknown): number => textTokens(JSON.stringify(value) ?? "");

/** All that is sent with a call. */
export const requestTokens = ({ system, tools, messages }: ModelRequest): number =>
  valueTokens(system) + valueTokens(tools) + valueTokens(messages);
