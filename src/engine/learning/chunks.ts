import type { Round } from "../memory/rounds-to-learn.ts";
import { textTokens } from "../model/token-estimate.ts";

const MOST_TOKENS = 12_000;

/** As many rounds as one call of a model reads well, in order. */
export function chunksOf(rounds: readonly Round[]): readonly (readonly Round[])[] {
  const chunks: Round[][] = [];
  let room = 0;
  for (const round of rounds) {
    const { question = "", answer = "" } = round.episode ?? {};
    const tokens = textTokens(question) + textTokens(answer) + textTokens(round.notes.join("\n"));
    if (tokens > room || chunks.length === 0) {
      chunks.push([]);
      room = MOST_TOKENS;
    }
    chunks.at(-1)?.push(round);
    room -= tokens;
  }
  return chunks;
}
