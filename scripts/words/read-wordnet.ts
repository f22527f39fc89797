import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A meaning, and the words that have it. */
export interface Meaning {
  readonly id: string;
  readonly isNoun: boolean;
  /** Several words are joined by underscores. */
  readonly words: readonly string[];
  readonly pointers: readonly Pointer[];
  /** What it is, without the examples. */
  readonly definition: string;
}

export interface Pointer {
  /** As WordNet's manual (wninput) has them: `~` a kind of it, `+` a word derived from it, `&` similar to it … */
  readonly symbol: string;
  readonly to: string;
  /** The words it is about, by their places from 1 on; 0: all of the meaning. */
  readonly fromWord: number;
  readonly toWord: number;
}

export interface WordNet {
  readonly meanings: ReadonlyMap<string, Meaning>;
  /** From 0 to 1: how likely somebody who uses the word means that. */
  readonly chance: (word: string, meaning: string) => number;
}

const PARTS = { noun: "n", verb: "v", adj: "a", adv: "r" };
/** In keys of senses; an adjective's satellite is an adjective. */
const PART_OF_NUMBER: Readonly<Record<string, string>> = { 1: "n", 2: "v", 3: "a", 4: "r", 5: "a" };

export function readWordNet(folder: string): WordNet {
  const meanings = new Map<string, Meaning>();
  for (const [name, part] of Object.entries(PARTS)) {
    for (const line of linesOf(join(folder, `data.${name}`))) {
      if (!/^\d{8} /.test(line)) continue;
      const meaning = readMeaning(line, part);
      meanings.set(meaning.id, meaning);
    }
  }
  const senses = readSenses(join(folder, "index.sense"));
  return { meanings, chance: (word, meaning) => senses.get(word.toLowerCase())?.get(meaning) ?? 0 };
}

function readMeaning(line: string, part: string): Meaning {
  const [head = "", gloss = ""] = line.split(" | ");
  const fields = head.trim().split(" ");
  const field = (at: number): string => fields[at] ?? "";
  const count = Number.parseInt(field(3), 16);
  const pointersAt = 4 + 2 * count;
  return {
    id: `${part}${field(0)}`,
    isNoun: part === "n",
    words: Array.from({ length: count }, (_, at) => field(4 + 2 * at).replace(/\((?:a|p|ip)\)$/, "")),
    pointers: Array.from({ length: Number(field(pointersAt)) }, (_, at) => {
      const first = pointersAt + 1 + 4 * at;
      const words = field(first + 3);
      return {
        symbol: field(first),
        to: `${field(first + 2).replace("s", "a")}${field(first + 1)}`,
        fromWord: Number.parseInt(words.slice(0, 2), 16),
        toWord: Number.parseInt(words.slice(2), 16),
      };
    }),
    definition: gloss.replaceAll(/"[^"]*"/g, " "),
  };
}

/** By word and meaning: how often each was meant in the texts that were counted, the first a little more often. */
function readSenses(file: string): Map<string, Map<string, number>> {
  const senses = new Map<string, Map<string, number>>();
  for (const line of linesOf(file)) {
    const [key = "", offset = "", number = "", count = ""] = line.split(" ");
    const [word = "", rest = ""] = key.split("%");
    const ofWord = senses.get(word) ?? new Map<string, number>();
    senses.set(word, ofWord.set(`${PART_OF_NUMBER[rest.charAt(0)]}${offset}`, Number(count) + 1 / Number(number)));
  }
  for (const ofWord of senses.values()) {
    let sum = 0;
    for (const count of ofWord.values()) sum += count;
    for (const [meaning, count] of ofWord) ofWord.set(meaning, count / sum);
  }
  return senses;
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(file, "latin1")
    .split("\n")
    .filter((line) => line !== "");
