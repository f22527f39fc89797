import type { LexicalSearch } from "./lexical-search.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { RelatedWords } from "./related-words.ts";

/** By a word that items have: for which of the question's words it may stand, and how well, from 0 to 1. */
export type MeantWords = ReadonlyMap<string, readonly Standing[]>;

interface Standing {
  readonly for: string;
  readonly share: number;
}

const SHARE = 0.9;
const EACH = 8;
/** Of one question: each look costs some microseconds. */
const LOOKED_UP = 96;

/** Words by which a question's may have been paraphrased: of each the nearest of those that items have. */
export function meantWords(
  { words, besides }: MemoryQuery,
  { related, lexical }: { readonly related: RelatedWords; readonly lexical: LexicalSearch },
): MeantWords {
  const asked = new Set([...words.map(({ word }) => word), ...besides]);
  const most = Math.ceil(LOOKED_UP / Math.max(1, words.length));
  const meant = new Map<string, Standing[]>();
  for (const { word } of words) {
    const others = new Map(related.of(word).map((other) => [other.word, other.weight]));
    const candidates = [...others.keys()].filter((other) => !asked.has(other)).slice(0, most);
    for (const other of lexical.rare(candidates, EACH)) {
      const standing = { for: word, share: SHARE * (others.get(other) ?? 0) };
      meant.set(other, [...(meant.get(other) ?? []), standing]);
    }
  }
  return meant;
}
