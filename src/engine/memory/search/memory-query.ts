import { wordRuns, wordsOfRun } from "../../../shared/words/index-text.ts";
import { isAskingWord, isFunctionWord } from "../../../shared/words/stop-words.ts";
import { type TimeRange, timeInText } from "./time-range.ts";

/** A parsed question. */
export interface MemoryQuery {
  /** Content words, each once. */
  readonly words: readonly string[];
  /** Optional words: those of the time, and those that only ask. */
  readonly optional: readonly string[];
  /** One to four words each, in lower case: possible aliases of nodes. */
  readonly phrases: readonly string[];
  readonly time: TimeRange | null;
  /** It asks about the user, or about an earlier reply. */
  readonly about: "self" | "reply" | null;
  /** Whether it is a question. Otherwise it only names what to find. */
  readonly asks: boolean;
  /** Whether closed facts count too, because it asks about the past. */
  readonly asksPast: boolean;
}

const MAX_RUNS = 2000;
const MAX_PHRASE_WORDS = 4;
const SELF = /\b(?:i|me|my|mine|we|us|our|ours)\b/i;
const REPLY =
  /\b(?:did|had|have) you\b|\byou (?:had |have |just |once )?(?:\w+ed|said|told|gave|wrote|found|made|chose|meant)\b/i;
const PAST =
  /\b(?:used to|previous(?:ly)?|former(?:ly)?|earlier|original(?:ly)?|at first|first time|initially|back then|in the past|no longer|any ?more|old|before)\b/i;

const ASKS =
  /[?？؟]\s*$|^\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should)\b/i;

export function readQuery(text: string, now: number): MemoryQuery {
  const time = timeInText(text, now);
  const timeRuns = new Set(time === null ? [] : wordRuns(time.words).map((run) => run.toLowerCase()));
  const runs = wordRuns(text).slice(0, MAX_RUNS);
  const words = new Set<string>();
  const optional = new Set<string>();
  for (const [index, run] of runs.entries()) {
    // "How far" asks for a measure. Without this rule, the current value leads in 68 instead of 72 of 100.
    const isMeasure = /^how$/i.test(runs[index - 1] ?? "");
    const isOptional = isMeasure || timeRuns.has(run.toLowerCase()) || isAskingWord(run);
    for (const word of wordsOfRun(run)) (isOptional ? optional : words).add(word);
  }
  const content = [...words];
  // "What was mentioned?" has only optional words.
  const onlyAsks = content.length === 0 && time === null;
  return {
    words: onlyAsks ? [...optional] : content,
    optional: onlyAsks ? [] : [...optional].filter((word) => !words.has(word)),
    phrases: phrasesOf(runs),
    time: time?.range ?? null,
    about: REPLY.test(text) ? "reply" : SELF.test(text) ? "self" : null,
    asks: ASKS.test(text),
    asksPast: PAST.test(text),
  };
}

/** In the form of aliases: lower case, single spaces. */
function phrasesOf(runs: readonly string[]): string[] {
  const phrases = new Set<string>();
  const few = runs.slice(0, 60).map((run) => run.replace(/['’]s?$/u, "").toLowerCase());
  for (let at = 0; at < few.length; at++) {
    for (let length = 1; length <= MAX_PHRASE_WORDS && at + length <= few.length; length++) {
      const phrase = few.slice(at, at + length);
      if (!phrase.every(isFunctionWord)) phrases.add(phrase.join(" "));
    }
  }
  return [...phrases];
}
