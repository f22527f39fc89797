import { indexWords } from "./index-text.ts";
import type { Candidate } from "./candidate.ts";

/** So much of what two say is the same: they are one. */
const SAME = 0.9;
const COMPARED = 600;

/** Of items that say the same, the one that stands highest. */
export function withoutRepeats(candidates: readonly Candidate[]): readonly Candidate[] {
  const kept: { readonly kind: string; readonly words: ReadonlySet<string> }[] = [];
  return candidates.filter(({ item }) => {
    const words = new Set(indexWords(item.texts.map((text) => text.slice(0, COMPARED)).join(" ")));
    const isNew = kept.every((other) => other.kind !== item.kind || likeness(words, other.words) < SAME);
    if (isNew) kept.push({ kind: item.kind, words });
    return isNew;
  });
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let both = 0;
  for (const word of one) if (other.has(word)) both++;
  return both / (one.size + other.size - both);
}
