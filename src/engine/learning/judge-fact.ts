import { indexWords } from "../memory/search/index-text.ts";
import type { Fact } from "../memory/knowledge.ts";
import { isSingle, predicateHints } from "../memory/predicates.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import { isFunctionWord } from "../memory/search/stop-words.ts";
import { TRUST, type Trust, leastTrust } from "../memory/trust.ts";
import { type ExtractedFact, USER } from "./extraction.ts";
import { isName } from "./judge-person.ts";
import { isNegated, namesIn, normalWords, numbersIn } from "./normal-words.ts";
import { type Boilerplate, holdsSecret, isFiller, isTransient } from "./refused-words.ts";
import type { Source, SourceWords } from "./source-words.ts";
import type { SpokenDates } from "./spoken-dates.ts";

/** A fact that may be believed, before it is held against what is known. */
export interface SoundFact extends Omit<Fact, "hash"> {
  readonly single: boolean;
  readonly toldAt: number;
  /** It is said as what is so now, whatever was said before. */
  readonly isOfNow: boolean;
}

const LONGEST = { content: 400, subject: 120, predicate: 80, object: 300 };
const LONGEST_EVIDENCE = 1000;
/** So many words of its own a sentence needs to be one. */
const MOST_ADDED = 4;
/** Of the words of what is said of somebody, so many stand where it is said to come from; and for a user's own trust. */
const LEAST_COVERED = 0.5;
const WELL_COVERED = 0.75;
const OF_NOW =
  /\b(?:actually|correction|no longer|any ?more|nowadays|these days|currently|(?<!(?:un)?til |by |before )now)\b/i;
const LASTING = /^(?:dislikes|cannot eat|allergic to|fears|wants|to remember|decided|diet)$/;

/** Holds a fact against the words it is said to come from. Null: it is not believed, whoever found it. */
export function judgeFact(
  fact: ExtractedFact,
  {
    round,
    sources,
    boilerplate,
    dates,
  }: { round: Round; sources: SourceWords; boilerplate: Boilerplate; dates: SpokenDates },
): SoundFact | null {
  const { content, predicate, object, saidBy } = fact;
  const subject = subjectOf(fact.subject);
  if (!isWellFormed({ content, subject, predicate, object })) return null;
  const source = sources.of(saidBy);
  const evidence = fact.evidence.slice(0, LONGEST_EVIDENCE);
  if (source === null || holdsSecret(`${content} ${predicate} ${object}`) || holdsSecret(evidence)) return null;
  if (isFiller(content) || isTransient(predicate)) return null;
  if (boilerplate.has(content) || boilerplate.has(evidence)) return null;
  const at = round.episode?.eventTime ?? round.trajectory.createdAt;
  const today = new Date(at).toISOString().slice(0, 10);
  if (!subjectAgrees(fact, source) || !numbersAgree(fact, source, { today, dates })) return null;
  if (!namesAgree(`${content}. ${object}`, source.text)) return null;
  const covered = coverage(object, source);
  if (covered < LEAST_COVERED || addsWords(fact, source) || !negationAgrees(fact, source)) return null;
  return {
    content,
    subject,
    predicate,
    object: object.trim(),
    single: isSingle(predicate, fact.single),
    validFrom: fact.validFrom !== null && dateAgrees(fact.validFrom, source, dates) ? fact.validFrom : null,
    toldAt: at,
    isOfNow: OF_NOW.test(evidence) || sentencesAbout(object, source).some(({ text }) => OF_NOW.test(text)),
    importance: Math.min(10, Math.max(1, Math.round(fact.importance))),
    confidence: Math.min(1, Math.max(0, fact.confidence * (0.5 + covered / 2))),
    source: saidBy === "user" ? "user" : "assistant",
    trust: trustOf(saidBy, covered, round.contextTrust),
  };
}

/** The user's own words are theirs; anything else is as good as all that the agent had before it. */
const trustOf = (saidBy: ExtractedFact["saidBy"], covered: number, context: Trust): Trust =>
  saidBy === "user" && covered >= WELL_COVERED ? TRUST.user : leastTrust(TRUST.model, context);

const subjectOf = (subject: string): string =>
  normalWords(subject).replace(/^(?:the )?(?:user|i|me|myself|we|us)(?=$|'s )/, USER);

function isWellFormed(words: Readonly<Record<keyof typeof LONGEST, string>>): boolean {
  return (Object.keys(LONGEST) as (keyof typeof LONGEST)[]).every((name) => {
    const text = words[name];
    return text.trim() !== "" && text.length <= LONGEST[name] && text.isWellFormed() && !/\p{Cc}/u.test(text);
  });
}

/** Whom a fact is of stands in its source; what is theirs, as in "Anna's dog", may be in other words. */
function subjectAgrees({ subject, saidBy }: ExtractedFact, source: Source): boolean {
  const [owner = ""] = subject.replaceAll("’", "'").split("'s ");
  const plain = subjectOf(owner);
  if (plain === USER || (saidBy === "assistant" && /^(?:assistant|agent)$/.test(plain))) return true;
  return isName(owner) && coverage(owner, source) >= LEAST_COVERED;
}

/** Numbers and dates of the fact stand in its source. A date may also be worked out from words there. */
function numbersAgree(
  { content, object }: ExtractedFact,
  { text, sentences }: Source,
  { today, dates }: { readonly today: string; readonly dates: SpokenDates },
): boolean {
  const known = new Set([...numbersIn(text), today]);
  const unknown = numbersIn(`${content} ${object}`).filter((number) => !known.has(number));
  return unknown.every((number) => sentences.some((one) => dates.of(one.text).has(number)));
}

/** The source names the year of a date, or a time in the same month. */
function dateAgrees(date: number, { text, sentences }: Source, dates: SpokenDates): boolean {
  const month = new Date(date).toISOString().slice(0, 7);
  if (numbersIn(text).some((number) => number.startsWith(month.slice(0, 4)))) return true;
  return sentences.some((sentence) => dates.of(sentence.text).has(month));
}

export function namesAgree(text: string, source: string): boolean {
  const known = source.toLowerCase();
  return namesIn(text).every(
    (name) => /^(?:user|assistant)$/i.test(name) || name.split(" ").every((word) => known.includes(word.toLowerCase())),
  );
}

/** Which part of a text's words stands in its source, whatever their endings. */
function coverage(text: string, { words }: Source): number {
  const wanted = contentOf(text.replaceAll(/\b\d{4}-\d{2}(?:-\d{2})?\b/g, " "));
  return wanted.length === 0 ? 1 : wanted.filter((word) => words.has(word)).length / wanted.length;
}

/** The sentence says more than the fact, and that stands nowhere. */
function addsWords({ subject, predicate, object, content }: ExtractedFact, { words }: Source): boolean {
  const own = new Set(indexWords(`${subject} ${predicate} ${predicateHints(predicate)} ${object} user`));
  const more = contentOf(content).filter((word) => !own.has(word));
  return more.length >= MOST_ADDED && more.filter((word) => words.has(word)).length * 2 < more.length;
}

const contentOf = (text: string): readonly string[] => indexWords(text).filter((word) => !isFunctionWord(word));

function sentencesAbout(object: string, { sentences }: Source): Source["sentences"] {
  const wanted = contentOf(object);
  return wanted.length === 0 ? [] : sentences.filter(({ words }) => wanted.every((word) => words.has(word)));
}

/** Where a sentence says of the object that it is not so, a fact that it is so is no fact. */
function negationAgrees({ negated, content, object, predicate }: ExtractedFact, source: Source): boolean {
  const about = sentencesAbout(object, source);
  if (about.length === 0) return true;
  const denies = negated || isNegated(content) || LASTING.test(predicate);
  if (denies) return LASTING.test(predicate) || about.some(({ text }) => isNegated(text) || FORMERLY.test(text));
  return about.some(({ text }) => !isNegated(clauseOf(text, object)));
}

const FORMERLY =
  /\b(?:used to|any ?more|left|former|hate|dislike|stopped|resigned|retired|laid off|fired|instead of|switched|quit|detest|loathe|despise)/i;
/** One sentence may deny one thing and say another: the part of it that leads to the object. */
function clauseOf(sentence: string, object: string): string {
  const [first = ""] = object.split(" ");
  const at = sentence.toLowerCase().indexOf(first.toLowerCase());
  return (
    sentence
      .slice(0, at === -1 ? undefined : at)
      .split(BETWEEN)
      .at(-1) ?? sentence
  );
}

const BETWEEN = /,|;|\b(?:but|and|so|because|now|instead)\b/i;
