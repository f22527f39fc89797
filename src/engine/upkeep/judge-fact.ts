import { indexWords } from "../memory/index-text.ts";
import type { Fact } from "../memory/knowledge.ts";
import { isSingle } from "../memory/predicates.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import { isFunctionWord } from "../memory/stop-words.ts";
import { TRUST, type Trust, leastTrust } from "../memory/trust.ts";
import { type ExtractedFact, USER } from "./extraction.ts";
import { isNegated, namesIn, normalWords, numbersIn } from "./normal-words.ts";
import { type Boilerplate, holdsSecret, isFiller, isPassing } from "./refused-words.ts";
import { sentencesOf } from "./rules/clauses.ts";
import { findWhen } from "./rules/when.ts";

/** A fact that may be believed, before it is held against what is known. */
export interface SoundFact extends Omit<Fact, "hash" | "validFrom"> {
  readonly single: boolean;
  readonly validFrom: number;
}

const LONGEST = { content: 400, subject: 120, predicate: 80, object: 300 };
/** Of the words of what is said of somebody, so many stand where it is said to come from; and for a user's own trust. */
const LEAST_COVERED = 0.5;
const WELL_COVERED = 0.75;
const LASTING = /^(?:dislikes|cannot eat|allergic to|fears|wants|to remember|decided|diet)$/;

/** Holds a fact against the words it is said to come from. Null: it is not believed, whoever found it. */
export function judgeFact(fact: ExtractedFact, round: Round, boilerplate: Boilerplate): SoundFact | null {
  const { content, predicate, object, saidBy } = fact;
  const subject = subjectOf(fact.subject);
  if (!isWellFormed({ content, subject, predicate, object })) return null;
  const source = wordsSaid(round, saidBy);
  if (source === null || holdsSecret(`${content} ${predicate} ${object}`) || holdsSecret(fact.evidence)) return null;
  if (isFiller(content) || isPassing(predicate)) return null;
  if (boilerplate.has(content) || boilerplate.has(fact.evidence)) return null;
  const at = round.episode?.eventTime ?? round.trajectory.createdAt;
  if (!numbersAgree(fact, source, at) || !namesAgree(`${content}. ${object}`, source)) return null;
  const covered = coverage(object, source);
  if (covered < LEAST_COVERED || !negationAgrees(fact, source)) return null;
  return {
    content,
    subject,
    predicate,
    object: object.trim(),
    single: isSingle(predicate, fact.single),
    validFrom: fact.validFrom ?? at,
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

/** The agent's own statements count where it says what it has done, and has done something. */
function wordsSaid(
  { episode, asked, notes, trajectory, recalled }: Round,
  saidBy: ExtractedFact["saidBy"],
): string | null {
  switch (saidBy) {
    case "user":
      return [episode?.question ?? "", ...asked.map(({ answer }) => answer)].join("\n");
    case "note":
      return withoutRecalled(notes.join("\n"), recalled);
    case "assistant": {
      const acted = trajectory.steps.some(({ tool, ok }) => ok && CHANGING.has(tool));
      const done = sentencesOf(episode?.answer ?? "").filter((sentence) => DONE.test(sentence));
      return acted && done.length > 0 ? withoutRecalled(done.join("\n"), recalled) : null;
    }
    default:
      return saidBy satisfies never;
  }
}

const CHANGING: ReadonlySet<string> = new Set(["write_file", "edit_file", "run_command"]);
const DONE =
  /\bI(?:'ve| have)? (?:just |now |also )?(?:created|wrote|written|saved|updated|changed|added|removed|deleted|renamed|moved|installed|configured|fixed|ran|run|built|deployed|generated|converted|set up)\b/i;

function withoutRecalled(text: string, recalled: string): string {
  if (recalled === "") return text;
  const known = recalled.toLowerCase();
  return sentencesOf(text)
    .filter((sentence) => !known.includes(sentence.toLowerCase().replace(/[.!]$/, "")))
    .join("\n");
}

/** Numbers and dates of the fact stand in its source; a date may also be the one that words there work out to. */
function numbersAgree({ content, object }: ExtractedFact, source: string, at: number): boolean {
  const wanted = numbersIn(`${content} ${object}`);
  if (wanted.length === 0) return true;
  const known = new Set(numbersIn(source));
  if (wanted.every((number) => known.has(number))) return true;
  known.add(new Date(at).toISOString().slice(0, 10));
  for (const sentence of [...sentencesOf(source), source]) {
    for (const past of [true, false]) {
      const label = findWhen(sentence, { at, past })?.label;
      if (label !== undefined) for (const number of numbersIn(label)) known.add(number);
    }
  }
  return wanted.every((number) => known.has(number));
}

function namesAgree(text: string, source: string): boolean {
  const known = source.toLowerCase();
  return namesIn(text).every(
    (name) => /^(?:user|assistant)$/i.test(name) || name.split(" ").every((word) => known.includes(word.toLowerCase())),
  );
}

/** Which part of a text's words stands in another, whatever their endings. */
function coverage(text: string, source: string): number {
  const bare = text.replaceAll(/\b\d{4}-\d{2}(?:-\d{2})?\b/g, " ");
  const wanted = indexWords(bare).filter((word) => !isFunctionWord(word));
  if (wanted.length === 0) return 1;
  const known = new Set([...indexWords(source), ...indexWords(normalWords(source))]);
  return wanted.filter((word) => known.has(word)).length / wanted.length;
}

/** Where a sentence says of the object that it is not so, a fact that it is so is no fact. */
function negationAgrees({ negated, content, object, predicate }: ExtractedFact, source: string): boolean {
  const words = indexWords(object).filter((word) => !isFunctionWord(word));
  const about = sentencesOf(source).filter((sentence) => {
    const known = new Set(indexWords(sentence));
    return words.length > 0 && words.every((word) => known.has(word));
  });
  if (about.length === 0) return true;
  const denies = negated || isNegated(content) || LASTING.test(predicate);
  if (denies)
    return LASTING.test(predicate) || about.some((sentence) => isNegated(sentence) || FORMERLY.test(sentence));
  return about.some((sentence) => !isNegated(sentence) || HAS_BOTH.test(sentence));
}

const FORMERLY =
  /\b(?:used to|any ?more|left|former|hate|dislike|stopped|resigned|retired|laid off|fired|instead of|switched|quit|detest|loathe|despise)/i;
/** One sentence may deny one thing and say another. */
const HAS_BOTH = /,|;|\b(?:but|and|so|because|now|instead)\b/i;
