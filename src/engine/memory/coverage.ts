import { wordRuns, wordsOfRun } from "./index-text.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { StoredItem } from "./stored-items.ts";

/** What of a question an item speaks of; each from 0 to 1, words that tell more counting more. */
export interface Coverage {
  readonly whole: number;
  /** In one place of it: a few sentences of who is likely to have said it, or what is known to be in it. */
  readonly place: number;
  /** The place with the most of it, as it stands there. */
  readonly passage: string;
  /** Those of the question, in that place. */
  readonly found: ReadonlySet<string>;
  /** All that it says, as it is written. */
  readonly runs: ReadonlySet<string>;
}

/** So much of each text is looked at. */
const LOOKED_AT = 2500;
/** Sentences that a place has at most; each further one makes it looser. */
const PLACE = 3;
const LOOSER = 0.88;

interface Sentence {
  readonly text: string;
  readonly words: readonly string[];
  /** From 0 to 1: how likely the answer is to be said so. */
  readonly voice: number;
}

/** How much each of the question's words tells. */
type Weights = ReadonlyMap<string, number>;

export function coverageOf(item: StoredItem, query: MemoryQuery, weights: Weights): Coverage {
  let all = 0;
  for (const weight of weights.values()) all += weight;
  const share = (weight: number) => (all === 0 ? 0 : weight / all);
  const runs = new Set<string>();
  const asks = askedWords(weights);
  const wanted = new Set<string>();
  let best: Place = { weight: 0, passage: "", found: new Set() };
  for (const [at, text] of item.texts.entries()) {
    const sentences = sentencesOf(text.slice(0, LOOKED_AT)).map((sentence): Sentence => {
      const said = wordRuns(sentence);
      for (const run of said) runs.add(run);
      const asked = asks(said);
      for (const word of asked) wanted.add(word);
      const voice = asked.length === 0 ? 0 : voiceOf(sentence, item.kind === "episode" && at === 0, query);
      return { text: sentence, words: asked, voice: item.kind === "episode" ? voice : ofWhom(sentence, query) };
    });
    const place = bestPlace(sentences, weights);
    if (place.weight > best.weight) best = place;
  }
  const voice = 0.9 * ofWhom(item.keys, query);
  const known = bestPlace([{ text: best.passage, words: asks(wordRuns(item.keys)), voice }], weights);
  for (const word of known.found) wanted.add(word);
  const { weight, found } = known.weight > best.weight ? known : best;
  return { whole: share(sumOf(wanted, weights)), place: share(weight), passage: best.passage, found, runs };
}

/**
 * Which of the words that are asked for stand in a text. Most of what is written begins otherwise than any of them, and
 * need not be looked at: endings change, beginnings do not.
 */
function askedWords(asked: Weights): (runs: readonly string[]) => readonly string[] {
  const beginnings = new Set([...asked.keys()].map((word) => word.slice(0, 2)));
  const mayBe = (run: string) => !PLAIN.test(run) || beginnings.has(run.slice(0, 2).toLowerCase());
  return (runs) => runs.filter(mayBe).flatMap((run) => wordsOfRun(run).filter((word) => asked.has(word)));
}

/** A word of small Latin letters, maybe with a capital before them. */
const PLAIN = /^[A-Za-z][a-z]*$/;

interface Place {
  readonly weight: number;
  readonly passage: string;
  readonly found: ReadonlySet<string>;
}

function bestPlace(sentences: readonly Sentence[], weights: Weights): Place {
  let best: Place = { weight: 0, passage: "", found: new Set() };
  for (let from = 0; from < sentences.length; from++) {
    if (sentences[from]?.words.length === 0) continue;
    const heard = new Map<string, number>();
    for (let length = 1; length <= PLACE && from + length <= sentences.length; length++) {
      const { words = [], voice = 0 } = sentences[from + length - 1] ?? {};
      hear(heard, words, weights, voice);
      let weight = 0;
      for (const one of heard.values()) weight += one;
      weight *= LOOSER ** (length - 1);
      if (weight <= best.weight) continue;
      const passage = sentences.slice(from, from + length).map(({ text }) => text);
      best = { weight, passage: passage.join(" "), found: new Set(heard.keys()) };
    }
  }
  return best;
}

/** Who asks about themselves asks for what they said, and said rather than asked. */
function voiceOf(sentence: string, byUser: boolean, { about }: MemoryQuery): number {
  if (about === "reply") return byUser ? 0.7 : 1;
  if (about === null) return byUser ? 1 : 0.9;
  if (!byUser) return 0.65;
  if (/[?？]\s*$/.test(sentence)) return 0.7;
  return FIRST_PERSON.test(sentence) ? 1 : 0.8;
}

/** What was learnt of others is no answer to who asks about themselves. */
const ofWhom = (learnt: string, { about }: MemoryQuery): number =>
  about === "self" && !/\buser\b/i.test(learnt) ? 0.6 : 1;

const FIRST_PERSON = /\b(?:i|me|my|mine|myself|we|us|our|ours)\b/i;

/** Of each word that is asked for, how much of its weight was heard. */
function hear(heard: Map<string, number>, words: Iterable<string>, weights: Weights, voice: number): void {
  for (const word of words) heard.set(word, Math.max(heard.get(word) ?? 0, (weights.get(word) ?? 0) * voice));
}

function sumOf(words: Iterable<string>, weights: Weights): number {
  let sum = 0;
  for (const word of words) sum += weights.get(word) ?? 0;
  return sum;
}

const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((one) => one.trim() !== "");
