import { indexWords } from "./index-text.ts";
import type { StoredItem } from "./stored-items.ts";

/** What of a question an item speaks of; each from 0 to 1, words that tell more counting more. */
export interface Coverage {
  readonly whole: number;
  /** In one place of it: a few sentences, or what is known to be in it. */
  readonly place: number;
  /** The place with the most of it, as it stands there. */
  readonly passage: string;
  readonly words: ReadonlySet<string>;
}

/** So much of each text is looked at. */
const LOOKED_AT = 3000;
/** Sentences that a place has. */
const PLACE = 3;

export function coverageOf(item: StoredItem, weights: ReadonlyMap<string, number>): Coverage {
  let all = 0;
  for (const weight of weights.values()) all += weight;
  const found = new Set<string>();
  let best = { weight: 0, passage: "" };
  const look = (places: readonly string[], size: number) => {
    const wanted = places.map((place) => indexWords(place).filter((word) => weights.has(word)));
    for (let at = 0; at < places.length; at++) {
      const here = new Set(wanted.slice(at, at + size).flat());
      for (const word of here) found.add(word);
      const weight = weightOf(here, weights);
      if (weight > best.weight) best = { weight, passage: places.slice(at, at + size).join(" ") };
    }
  };
  for (const text of item.texts) look(sentences(text.slice(0, LOOKED_AT)), PLACE);
  look([item.keys], 1);
  const share = (weight: number) => (all === 0 ? 0 : weight / all);
  return { whole: share(weightOf(found, weights)), place: share(best.weight), passage: best.passage, words: found };
}

function weightOf(words: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum;
}

const sentences = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((one) => one.trim() !== "");
