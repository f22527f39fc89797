import { indexWords } from "../../shared/words/index-text.ts";
import type { Fact } from "../memory/knowledge.ts";
import { isSingle, predicateHints } from "../memory/predicates.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import { isFunctionWord } from "../../shared/words/stop-words.ts";
import { TRUST, type Trust, leastTrust } from "../memory/trust.ts";
import { type ExtractedFact, USER } from "./extraction.ts";
import { isName } from "./verify-person.ts";
import { isNegated, namesIn, normalWords, numbersIn } from "./normal-words.ts";
import { containsSecret } from "./contains-secret.ts";
import type { Source, RoundSources } from "./round-sources.ts";
import type { DateExpressions } from "./date-expressions.ts";

/** A fact verified against its round, before conflict resolution. */
export interface VerifiedFact extends Omit<Fact, "hash"> {
  readonly single: boolean;
  readonly statedAt: number;
  /** Stated explicitly as the current state, or as a correction. */
  readonly isCurrent: boolean;
}

const MAX_LENGTH = { content: 400, subject: 120, predicate: 80, object: 300 };
const MAX_EVIDENCE_LENGTH = 1000;
/** Words that a sentence may add without support in its source. */
const MAX_UNSUPPORTED_WORDS = 4;
/** Share of the object's words that its source must contain: to be accepted, and for the user's own trust. */
const MIN_COVERAGE = 0.5;
const USER_TRUST_COVERAGE = 0.75;
/** Predicates about the turn itself. */
const TRANSIENT =
  /^(?:asked|asks|is asking|wants to know|requested|requests|inquired|inquires|needs help|seeks|is seeking|thanked|greeted|said hello|mentioned|received|was told|is talking|is chatting|interacts?|has a question|is interested in knowing|wants help)\b/i;
const CURRENT =
  /\b(?:actually|correction|no longer|any ?more|nowadays|these days|currently|(?<!(?:un)?til |by |before )now)\b/i;
const LASTING = /^(?:dislikes|cannot eat|allergic to|fears|wants|to remember|decided|diet)$/;

/** Verifies a fact against its source text. Null when it is rejected. */
export function verifyFact(
  fact: ExtractedFact,
  { round, sources, dates }: { round: Round; sources: RoundSources; dates: DateExpressions },
): VerifiedFact | null {
  const { content, predicate, object, speaker } = fact;
  const subject = subjectOf(fact.subject);
  if (!isWellFormed({ content, subject, predicate, object })) return null;
  const source = sources.of(speaker);
  const evidence = fact.evidence.slice(0, MAX_EVIDENCE_LENGTH);
  if (source === null || containsSecret(`${content} ${predicate} ${object}`) || containsSecret(evidence)) return null;
  if (TRANSIENT.test(predicate)) return null;
  const at = round.episode?.eventTime ?? round.trajectory.createdAt;
  const today = new Date(at).toISOString().slice(0, 10);
  if (!subjectAgrees(fact, source) || !numbersAgree(fact, source, { today, dates })) return null;
  if (!namesAgree(`${content}. ${object}`, source.text)) return null;
  const covered = coverage(object, source);
  if (covered < MIN_COVERAGE || addsWords(fact, source) || !negationAgrees(fact, source)) return null;
  return {
    content,
    subject,
    predicate,
    object: object.trim(),
    single: isSingle(predicate, fact.single),
    validFrom: fact.validFrom !== null && dateAgrees(fact.validFrom, source, dates) ? fact.validFrom : null,
    statedAt: at,
    isCurrent: CURRENT.test(evidence) || sentencesAbout(object, source).some(({ text }) => CURRENT.test(text)),
    importance: Math.min(10, Math.max(1, Math.round(fact.importance))),
    confidence: Math.min(1, Math.max(0, fact.confidence * (0.5 + covered / 2))),
    source: speaker === "user" ? "user" : "assistant",
    trust: trustOf(speaker, covered, { round, isOwn: isCovered(object, sources.of("own")) }),
  };
}

/** User trust for what a person states in words of their own, else the trust of the agent's context. */
const trustOf = (
  speaker: ExtractedFact["speaker"],
  covered: number,
  { round, isOwn }: { readonly round: Round; readonly isOwn: boolean },
): Trust =>
  speaker === "user" && covered >= USER_TRUST_COVERAGE && isOwn && round.messageTrust === TRUST.user
    ? TRUST.user
    : leastTrust(TRUST.model, round.contextTrust, round.messageTrust);

const isCovered = (object: string, source: Source | null): boolean =>
  source !== null && coverage(object, source) >= USER_TRUST_COVERAGE;

const subjectOf = (subject: string): string =>
  normalWords(subject).replace(/^(?:the )?(?:user|i|me|myself|we|us)(?=$|'s )/, USER);

function isWellFormed(words: Readonly<Record<keyof typeof MAX_LENGTH, string>>): boolean {
  return (Object.keys(MAX_LENGTH) as (keyof typeof MAX_LENGTH)[]).every((name) => {
    const text = words[name];
    return text.trim() !== "" && text.length <= MAX_LENGTH[name] && text.isWellFormed() && !/\p{Cc}/u.test(text);
  });
}

/** The source names the subject; of "Anna's dog" only "Anna". */
function subjectAgrees({ subject, speaker }: ExtractedFact, source: Source): boolean {
  const [owner = ""] = subject.replaceAll("’", "'").split("'s ");
  const plain = subjectOf(owner);
  if (plain === USER || (speaker === "assistant" && /^(?:assistant|agent)$/.test(plain))) return true;
  return isName(owner) && coverage(owner, source) >= MIN_COVERAGE;
}

/** The source contains the fact's numbers and dates. A date may also follow from a date expression there. */
function numbersAgree(
  { content, object }: ExtractedFact,
  { text, sentences }: Source,
  { today, dates }: { readonly today: string; readonly dates: DateExpressions },
): boolean {
  const known = new Set([...numbersIn(text), today]);
  const unknown = numbersIn(`${content} ${object}`).filter((number) => !known.has(number));
  return unknown.every((number) => sentences.some((one) => dates.of(one.text).has(number)));
}

/** The source names the year of a date, or a time in the same month. */
function dateAgrees(date: number, { text, sentences }: Source, dates: DateExpressions): boolean {
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

/** Share of a text's stemmed words that its source contains. */
function coverage(text: string, { words }: Source): number {
  const wanted = contentOf(text.replaceAll(/\b\d{4}-\d{2}(?:-\d{2})?\b/g, " "));
  return wanted.length === 0 ? 1 : wanted.filter((word) => words.has(word)).length / wanted.length;
}

/** Whether the sentence adds words that neither fact nor source contain. */
function addsWords({ subject, predicate, object, content }: ExtractedFact, { words }: Source): boolean {
  const own = new Set(indexWords(`${subject} ${predicate} ${predicateHints(predicate)} ${object} user`));
  const more = contentOf(content).filter((word) => !own.has(word));
  return more.length >= MAX_UNSUPPORTED_WORDS && more.filter((word) => words.has(word)).length * 2 < more.length;
}

const contentOf = (text: string): readonly string[] => indexWords(text).filter((word) => !isFunctionWord(word));

function sentencesAbout(object: string, { sentences }: Source): Source["sentences"] {
  const wanted = contentOf(object);
  return wanted.length === 0 ? [] : sentences.filter(({ words }) => wanted.every((word) => words.has(word)));
}

/** Whether fact and source agree on negation of the object. */
function negationAgrees({ negated, content, object, predicate }: ExtractedFact, source: Source): boolean {
  const about = sentencesAbout(object, source);
  if (about.length === 0) return true;
  const denies = negated || isNegated(content) || LASTING.test(predicate);
  if (denies) return LASTING.test(predicate) || about.some(({ text }) => isNegated(text) || FORMERLY.test(text));
  return about.some(({ text }) => !isNegated(clauseOf(text, object)));
}

const FORMERLY =
  /\b(?:used to|any ?more|left|former|hate|dislike|stopped|resigned|retired|laid off|fired|instead of|switched|quit|detest|loathe|despise)/i;
/** The clause before the object: one sentence may negate one thing and affirm another. */
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
