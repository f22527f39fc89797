import { indexWords } from "../../src/engine/memory/index-text.ts";
import type { RelatedWord } from "../../src/engine/memory/related-words.ts";
import { IRREGULAR_FORMS } from "./irregular-forms.ts";
import type { Meaning, WordNet } from "./read-wordnet.ts";

/** By indexed word: others that may be said instead, the nearest first. */
export type Related = ReadonlyMap<string, readonly RelatedWord[]>;

/** How near a word is that has the same meaning, one of its kinds, their kinds … */
const SAME = 1;
const KINDS = [0.7, 0.55, 0.45, 0.35];
/** "Wind instrument": whatever is a kind of it is an instrument too. */
const HEAD = 0.6;
const DEFINED = 0.4;
const POINTERS: Readonly<Record<string, number>> = {
  "+": 0.8,
  "\\": 0.8,
  "&": 0.6,
  "^": 0.5,
  $: 0.5,
  "*": 0.5,
  ">": 0.5,
  "=": 0.5,
  "#p": 0.3,
  "%p": 0.3,
};
const IRREGULAR = 0.95;
/** What has more kinds than that says too little. */
const MOST_KINDS = 300;
/** A word that stands in so many definitions explains none of them. */
const MOST_DEFINITIONS = 600;
const TELLING = 20;
/** Less is not worth the looking up; of each word the nearest. */
const LEAST = 0.2;
const MOST = 48;
/** Little is known of how often meanings are meant, so it counts, but not by much. */
const OWN_CHANCE = 0.3;
const OTHER_CHANCE = 0.4;

/**
 * What WordNet says of words, in the words of the memory's index: synonyms, kinds, derivations, and the words that
 * define each other, rare meanings counting less.
 */
export function relateWords({ meanings, chance }: WordNet): Related {
  const stemOf = stemmer();
  const related = new RelatedPairs();
  const ofId = (id: string): readonly Meaning[] => {
    const meaning = meanings.get(id);
    return meaning === undefined ? [] : [meaning];
  };
  const kindsOf = ({ pointers }: Meaning): Meaning[] =>
    pointers.filter(({ symbol }) => symbol === "~").flatMap(({ to }) => ofId(to));
  const sizes = new Map<string, number>();
  const size = (meaning: Meaning): number => {
    const known = sizes.get(meaning.id);
    if (known !== undefined) return known;
    const counted = kindsOf(meaning).reduce((sum, kind) => sum + 1 + size(kind), 0);
    sizes.set(meaning.id, counted);
    return counted;
  };
  const counts = countDefinitions(meanings, stemOf);
  const tellingIn = definitionWords(meanings.size, { counts, stemOf });
  for (const meaning of meanings.values()) {
    const levels = size(meaning) > MOST_KINDS ? [] : levelsBelow(meaning, kindsOf);
    for (const [at, word] of meaning.words.entries()) {
      const stem = stemOf(word);
      if (stem === null) continue;
      const own = chance(word, meaning.id) ** OWN_CHANCE;
      const link = (other: Meaning, words: readonly string[], weight: number) => {
        for (const one of words) related.add(stem, stemOf(one), weight * own * chance(one, other.id) ** OTHER_CHANCE);
      };
      link(meaning, meaning.words, SAME);
      for (const [depth, kinds] of levels.entries())
        for (const kind of kinds) link(kind, kind.words, KINDS[depth] ?? 0);
      for (const { symbol, to, fromWord, toWord } of meaning.pointers) {
        const weight = POINTERS[symbol];
        if (weight === undefined || (fromWord !== 0 && fromWord !== at + 1)) continue;
        for (const other of ofId(to))
          link(other, toWord === 0 ? other.words : other.words.slice(toWord - 1, toWord), weight);
      }
      for (const [telling, share] of tellingIn(meaning)) related.addBoth(stem, telling, DEFINED * own * share);
    }
    if (meaning.isNoun && levels.length > 0) {
      for (const head of headsOf(meaning, stemOf)) {
        for (const [depth, kinds] of [[meaning], ...levels].entries()) {
          const weight = HEAD * (depth === 0 ? 0.9 : (KINDS[depth - 1] ?? 0));
          for (const kind of kinds)
            for (const word of kind.words)
              related.add(head, stemOf(word), weight * chance(word, kind.id) ** OTHER_CHANCE);
        }
      }
    }
  }
  for (const [form, base] of IRREGULAR_FORMS) related.join(stemOf(form), stemOf(base));
  return new Map([...related.pairs].map(([word, others]) => [word, nearest(others, counts)]));
}

class RelatedPairs {
  readonly pairs = new Map<string, Map<string, number>>();

  /** The nearest of several relations counts. */
  add(word: string | null, other: string | null, weight: number): void {
    if (word === null || other === null || word === other) return;
    const others = this.pairs.get(word) ?? new Map<string, number>();
    if ((others.get(other) ?? 0) < weight) this.pairs.set(word, others.set(other, weight));
  }

  addBoth(word: string, other: string, weight: number): void {
    this.add(word, other, weight);
    this.add(other, word, weight);
  }

  /** A form of a word has what the word has. */
  join(form: string | null, base: string | null): void {
    if (form === null || base === null) return;
    for (const [other, weight] of this.pairs.get(base) ?? []) this.add(form, other, weight * IRREGULAR);
    this.addBoth(form, base, IRREGULAR);
  }
}

function levelsBelow(meaning: Meaning, kindsOf: (meaning: Meaning) => Meaning[]): readonly (readonly Meaning[])[] {
  const levels: Meaning[][] = [];
  let level = [meaning];
  for (let depth = 0; depth < KINDS.length; depth++) levels.push((level = level.flatMap(kindsOf)));
  return levels;
}

/** Of "stringed_instrument" the last word. */
const headsOf = ({ words }: Meaning, stemOf: StemOf): readonly string[] => [
  ...new Set(
    words
      .filter((word) => /^[a-z]+(?:_[a-z]+)+$/.test(word))
      .flatMap((word) => stemOf(word.slice(word.lastIndexOf("_") + 1)) ?? []),
  ),
];

/** Of those that are equally near, the better known ones: what people know, they explain others by. */
function nearest(others: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): readonly RelatedWord[] {
  const known = ({ word }: RelatedWord) => counts.get(word) ?? 0;
  return Array.from(others, ([word, weight]) => ({ word, weight: Math.round(weight * 10) / 10 }))
    .filter(({ weight }) => weight >= LEAST)
    .sort((one, other) => other.weight - one.weight || known(other) - known(one))
    .slice(0, MOST);
}

const wordsOf = ({ definition }: Meaning, stemOf: StemOf): ReadonlySet<string> =>
  new Set((definition.match(/[a-z]+/gi) ?? []).flatMap((word) => stemOf(word.toLowerCase()) ?? []));

/** By word: how many definitions it stands in. */
function countDefinitions(meanings: ReadonlyMap<string, Meaning>, stemOf: StemOf): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const meaning of meanings.values())
    for (const word of wordsOf(meaning, stemOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Of a meaning the words of its definition that tell something, and how much: what is rare tells more. */
function definitionWords(
  all: number,
  { counts, stemOf }: { readonly counts: ReadonlyMap<string, number>; readonly stemOf: StemOf },
): (meaning: Meaning) => readonly (readonly [string, number])[] {
  const shareOf = (count: number) => Math.min(1, Math.log(all / count) / Math.log(all / TELLING));
  return (meaning) =>
    [...wordsOf(meaning, stemOf)].flatMap((word) => {
      const count = counts.get(word) ?? 0;
      return count > MOST_DEFINITIONS ? [] : [[word, shareOf(count)] as const];
    });
}

type StemOf = (word: string) => string | null;

/** A word as the index has it; null for what is no single word there. */
function stemmer(): StemOf {
  const known = new Map<string, string | null>();
  return (word) => {
    let stem = known.get(word);
    if (stem === undefined) known.set(word, (stem = singleStem(word)));
    return stem;
  };
}

function singleStem(word: string): string | null {
  const stems = /^[a-z]+$/i.test(word) ? indexWords(word) : [];
  return stems.length === 1 ? (stems[0] ?? null) : null;
}
