import { wordRuns, wordsOfRun } from "./index-text.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { StoredItem } from "./stored-items.ts";

/** How much of a question an item covers, rare words counting more. */
export interface Coverage {
  /** Weighted share of the question's words in the best sentence, from 0 to 1. */
  readonly share: number;
  /** The best sentence. */
  readonly passage: string;
  /** The question's words in the best sentence. */
  readonly found: ReadonlySet<string>;
  /** All words of the item, as written. */
  readonly runs: ReadonlySet<string>;
}

/** Bounds the time to read a text. */
const MAX_TEXT_LENGTH = 2500;
/** Weight of a sentence of the other speaker. Without it, recall@5 falls by 0.025. */
const OTHER_SPEAKER_WEIGHT = 0.7;
/** Weight of a fact about somebody else, when users ask about themselves. No figure: the benchmark learns no facts. */
const OTHER_SUBJECT_WEIGHT = 0.6;

/** Weight of each word of the question. */
type Weights = ReadonlyMap<string, number>;

export function coverageOf(item: StoredItem, query: MemoryQuery, weights: Weights): Coverage {
  const all = sumOf(weights.keys(), weights);
  const asked = askedWords(weights);
  const runs = new Set<string>();
  let best = { weight: 0, passage: "", found: new Set<string>() };
  for (const [at, text] of item.texts.entries()) {
    for (const sentence of sentencesOf(text.slice(0, MAX_TEXT_LENGTH))) {
      const written = wordRuns(sentence);
      for (const run of written) runs.add(run);
      const found = new Set(asked(written));
      const weight = sumOf(found, weights) * speakerWeight(item, at === 0, sentence, query);
      if (weight > best.weight) best = { weight, passage: sentence, found };
    }
  }
  return { ...best, share: all === 0 ? 0 : best.weight / all, runs };
}

/** The question's words in a text. Stemming changes only endings, so words with another beginning are skipped. */
function askedWords(asked: Weights): (runs: readonly string[]) => readonly string[] {
  const beginnings = new Set([...asked.keys()].map((word) => word.slice(0, 2)));
  const canMatch = (run: string) => !PLAIN.test(run) || beginnings.has(run.slice(0, 2).toLowerCase());
  return (runs) => runs.filter(canMatch).flatMap((run) => wordsOfRun(run).filter((word) => asked.has(word)));
}

/** Lower-case Latin letters, the first of any case. */
const PLAIN = /^[A-Za-z][a-z]*$/;

function speakerWeight({ kind }: StoredItem, isFirst: boolean, sentence: string, { about }: MemoryQuery): number {
  // A round's first text is the user's, its second the assistant's.
  if (kind === "episode") return (about === "reply") === isFirst ? OTHER_SPEAKER_WEIGHT : 1;
  return about === "self" && !/\buser\b/i.test(sentence) ? OTHER_SUBJECT_WEIGHT : 1;
}

function sumOf(words: Iterable<string>, weights: Weights): number {
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum;
}

const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((one) => one.trim() !== "");
