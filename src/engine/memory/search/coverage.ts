import { wordRuns, wordsOfRun } from "../../../shared/words/index-text.ts";
import { type AskedWord, weightOf } from "./asked-words.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { StoredItem } from "./stored-items.ts";

/** How much of a question an item covers, rare words counting more. */
export interface Coverage {
  /** Weighted share of the question in the best sentence, from 0 to 1. */
  readonly share: number;
  /** The best sentence. */
  readonly passage: string;
  /** How much each word of the question is matched in the best sentence. */
  readonly found: ReadonlyMap<string, number>;
  /** The same in the whole item. */
  readonly matched: ReadonlyMap<string, number>;
}

/** Bounds the time to read a text. */
export const MAX_TEXT_LENGTH = 2500;
/** Weight of a sentence of the assistant. Without it, recall@5 falls by 0.039. */
const ASSISTANT_WEIGHT = 0.7;
/** Weight of a fact about somebody else, when users ask about themselves. No figure: the benchmark learns no facts. */
const OTHER_SUBJECT_WEIGHT = 0.6;

/** Measures items against the words of one question. */
export function measureCoverage(asked: readonly AskedWord[], query: MemoryQuery): (item: StoredItem) => Coverage {
  const all = weightOf(asked) || 1;
  const matched = matchedWords(asked);
  return (item) => {
    const matchedWhole = new Map<string, number>();
    let best = { weight: 0, passage: "", found: new Map<string, number>() };
    for (const [at, text] of item.texts.entries()) {
      for (const sentence of sentencesOf(text.slice(0, MAX_TEXT_LENGTH))) {
        const found = new Map<string, number>();
        for (const run of wordRuns(sentence)) {
          for (const [word, share] of matched(run)) {
            if ((found.get(word) ?? 0) < share) found.set(word, share);
            if ((matchedWhole.get(word) ?? 0) < share) matchedWhole.set(word, share);
          }
        }
        if (found.size === 0) continue;
        const weight = sumOf(found, asked) * speakerWeight(item, at === 0, sentence, query);
        if (weight > best.weight) best = { weight, passage: sentence, found };
      }
    }
    return { ...best, matched: matchedWhole, share: best.weight / all };
  };
}

type Matched = readonly (readonly [word: string, share: number])[];

/** The question's words that a written word matches. A word is read once a search, and only if one may begin like it. */
function matchedWords(asked: readonly AskedWord[]): (run: string) => Matched {
  const byTerm = new Map<string, (readonly [string, number])[]>();
  for (const { word, matches } of asked)
    for (const [term, share] of matches) byTerm.set(term, [...(byTerm.get(term) ?? []), [word, share]]);
  const canMatch = beginsLike([...byTerm.keys()]);
  const known = new Map<string, Matched>();
  return (run) => {
    if (!canMatch(run)) return NOTHING;
    let found = known.get(run);
    if (found === undefined) {
      found = wordsOfRun(run).flatMap((term) => byTerm.get(term) ?? []);
      known.set(run, found);
    }
    return found;
  };
}

const NOTHING: Matched = [];

/** Whether a written word may begin like one of the terms. Most words do not, and are not read further. */
function beginsLike(terms: readonly string[]): (run: string) => boolean {
  const beginnings = new Uint8Array(ASCII * ASCII);
  for (const term of terms) beginnings[beginningOf(term)] = 1;
  return (run) => beginnings[beginningOf(run)] === 1 || !PLAIN.test(run);
}

const ASCII = 128;
const LOWER_CASE = 32;

/** Of the first two characters, whatever the case of the first. */
const beginningOf = (word: string): number => (word.charCodeAt(0) | LOWER_CASE) * ASCII + word.charCodeAt(1);

/** Lower-case Latin letters, the first of any case. Stemming changes only the ending of such a word. */
const PLAIN = /^[A-Za-z][a-z]*$/;

function speakerWeight({ kind }: StoredItem, isFirst: boolean, sentence: string, { about }: MemoryQuery): number {
  // A round's first text is the user's, its second the assistant's.
  if (kind === "episode") return isFirst ? 1 : ASSISTANT_WEIGHT;
  return about === "self" && !/\buser\b/i.test(sentence) ? OTHER_SUBJECT_WEIGHT : 1;
}

const sumOf = (found: ReadonlyMap<string, number>, asked: readonly AskedWord[]): number =>
  asked.reduce((sum, { word, weight }) => sum + weight * (found.get(word) ?? 0), 0);

const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((one) => one.trim() !== "");
