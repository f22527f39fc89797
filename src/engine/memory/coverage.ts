import { indexWords } from "./index-text.ts";
import type { StoredItem } from "./stored-items.ts";

/** What of a question an item speaks of; each from 0 to 1, words that tell more counting more. */
export interface Coverage {
  readonly whole: number;
  /** In one place of it: a few sentences, or what is known to be in it. */
  readonly place: number;
  /** The place with the most of it, as it stands there. */
  readonly passage: string;
  /** Those of the question. */
  readonly found: ReadonlySet<string>;
  /** All that it says. */
  readonly words: ReadonlySet<string>;
}

/** So much of each text is looked at. */
const LOOKED_AT = 2500;
/** Sentences that a place has. */
const PLACE = 3;

export function coverageOf(item: StoredItem, weights: ReadonlyMap<string, number>): Coverage {
  const all = weightOf(weights.keys(), weights);
  const share = (weight: number) => (all === 0 ? 0 : weight / all);
  const words = new Set<string>();
  const found = new Set<string>();
  let best = { weight: 0, passage: "" };
  const look = (sentences: readonly string[]) => {
    const said = sentences.map((sentence) => {
      const here = indexWords(sentence);
      for (const word of here) words.add(word);
      return here.filter((word) => weights.has(word));
    });
    for (let at = 0; at < sentences.length; at++) {
      const here = new Set(said.slice(at, at + PLACE).flat());
      for (const word of here) found.add(word);
      const weight = weightOf(here, weights);
      if (weight > best.weight) best = { weight, passage: sentences.slice(at, at + PLACE).join(" ") };
    }
  };
  for (const text of item.texts) look(sentencesOf(text.slice(0, LOOKED_AT)));
  const known = new Set(indexWords(item.keys).filter((word) => weights.has(word)));
  for (const word of known) found.add(word);
  return {
    whole: share(weightOf(found, weights)),
    place: share(Math.max(best.weight, weightOf(known, weights))),
    passage: best.passage,
    found,
    words,
  };
}

function weightOf(words: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum;
}

const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((one) => one.trim() !== "");
