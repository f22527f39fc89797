import { readModelName } from "../../contract/settings/model-name.ts";
import type { EngineConfig } from "../../contract/settings/engine-settings.ts";
import type { FilePart, ModelMessage, ModelRequest } from "./model-provider.ts";

/** Known context windows in tokens, input and output together; the first match counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_000_000],
  // Their input limit is smaller than the window.
  [/gpt-[5-9]|codex/, 272_000],
  [/(^|\/)o\d/, 200_000],
  [/gpt-3\.5/, 16_000],
  [/gemini-[12]\.|gemini-[3-9]/, 1_000_000],
  [/nova-(?!micro)/, 300_000],
  [/^sandbox$/, 200_000],
];
/** Usual minimum of current models. */
const DEFAULT_WINDOW = 128_000;

const CHARACTERS_PER_TOKEN = 4;
// CJK and similar scripts.
const TOKENS_PER_WIDE_CHARACTER = 0.8;

/** Context window of a model in tokens; `configured` overrides the table. */
export const contextWindow = (model: string, configured: number | null): number =>
  configured ?? WINDOWS.find(([name]) => name.test(model))?.[1] ?? DEFAULT_WINDOW;

/** The window of a model of an engine, by its name. `LLM_CONTEXT_WINDOW` is for models of `LLM_PROVIDER`. */
export const windowsOf =
  ({ provider: own, contextWindow: configured }: Pick<EngineConfig, "provider" | "contextWindow">) =>
  (name: string): number => {
    const { provider, model } = readModelName(name, own);
    return contextWindow(model, provider === own ? configured : null);
  };

/** Limits the answer to a quarter of the window. */
export const outputTokensWithin = (window: number, wanted: number): number => Math.min(wanted, Math.floor(window / 4));

/** From U+2E80, where the scripts of East Asia begin. */
const WIDE = /[\u2e80-\uffff]/;

/** Estimated tokens of a text; scale by a provider's reported usage for accuracy. */
export function textTokens(text: string): number {
  // Most requests have none. To find that by characters takes 3 ms of an engine's first turn.
  if (!WIDE.test(text)) return charactersAsTokens(text.length);
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e7f) wide++;
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide * TOKENS_PER_WIDE_CHARACTER);
}

/** The same for a text of which only the length is known. */
export const charactersAsTokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

export const valueTokens = (value: unknown): number => textTokens(JSON.stringify(value) ?? "");

/** Estimated tokens of system prompt, tools and messages with their attachments. */
export const requestTokens = ({ system, tools, messages }: ModelRequest): number =>
  valueTokens(system) + valueTokens(tools) + valueTokens(messages) + attachmentTokens(messages);

export const attachmentTokens = (messages: readonly ModelMessage[]): number =>
  messages
    .flatMap((message): readonly FilePart[] => {
      if (message.role === "user") return message.parts ?? [];
      return message.role === "tool" ? message.results.flatMap(({ parts = [] }) => parts) : [];
    })
    .reduce((sum, part) => sum + (part.kind === "attachment" ? (part.tokens ?? 0) : 0), 0);
