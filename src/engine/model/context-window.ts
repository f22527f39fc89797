/** Tokens of input and output together, as far as it is known; newest first, the first that fits counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_000_000],
  // They take less input than their window is large.
  [/gpt-[5-9]|codex/, 272_000],
  [/(^|\/)o\d/, 200_000],
  [/gpt-3\.5/, 16_000],
  [/gemini-[12]\.|gemini-[3-9]/, 1_000_000],
  [/nova-(?!micro)/, 300_000],
  [/^sandbox$/, 200_000],
];
/** What today's models of other makers have at the least, as a rule. */
const UNKNOWN = 128_000;

/** How much a model can read and write in one call; `told` is what the operator says of it. */
export const contextWindow = (model: string, told: number | null): number =>
  told ?? WINDOWS.find(([name]) => name.test(model))?.[1] ?? UNKNOWN;

/** A small window is not to be spent on the answer alone. */
export const outputTokensWithin = (window: number, wanted: number): number => Math.min(wanted, Math.floor(window / 4));
