import { isSingle, negatedPredicate, normalPredicate, predicateImportance } from "../../memory/predicates.ts";
import { type ExtractedFact, USER } from "../extraction.ts";
import { normalWords } from "../normal-words.ts";
import type { Clause } from "./clauses.ts";
import { objectWords, withoutWords } from "./object-words.ts";
import { type When, findWhen } from "./when.ts";

/** What a clause says, before it is put in words of its own. */
export interface Statement {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Between subject and object, where the predicate alone would not read well. */
  readonly verb?: string;
  /** "user's vet is Dr. K" rather than "user lives in Lyon". */
  readonly isAttribute?: boolean;
  readonly negated?: boolean;
  readonly past?: boolean;
  /** It happened at a time, or will. */
  readonly event?: boolean;
  readonly single?: boolean;
  /** Its time is of what it says. */
  readonly isTimed?: boolean;
  /** The clause's time, unless it is a beginning, is of something else that it says. */
  readonly isTimeless?: boolean;
  readonly clause: Clause;
}

/** The fact that a statement makes, with its time worked out; null when nothing is left of it. */
export function factOf(statement: Statement, at: number): ExtractedFact | null {
  const { subject, predicate, clause, event = false, negated = false, isAttribute = false } = statement;
  const past = statement.past ?? event;
  const time = timeIn(clause.text, { at, past });
  const when = statement.isTimeless === true && !isBeginning(time) ? null : time;
  // Of what is a date the words are what is said; of anything else they say since when.
  const isDate = (isAttribute || statement.isTimed === true || DATED.test(predicate)) && !isBeginning(when);
  const bare = when === null || isDate ? statement.object : withoutWords(statement.object, when.words);
  const object = objectWords(bare);
  if (object === null || (predicate === "name" && normalWords(object) === normalWords(subject))) return null;
  const normal = negated ? negatedPredicate(normalPredicate(predicate)) : normalPredicate(predicate);
  const dated =
    when !== null &&
    (event || (isDate && !object.includes(when.label) && when.label.length === 10 && RELATIVE.test(when.words)));
  const said = dated ? `${object} (${when.label})` : object;
  return {
    subject,
    predicate: normal,
    object: dated ? `${object} ${when.label}` : object,
    content: wording({ ...statement, object: said, negated }),
    negated,
    single: isSingle(normal, statement.single ?? isAttribute),
    validFrom: when !== null && !isDate && !isOnlyThen(when, { at, event, past }) ? when.from : null,
    importance: Math.min(10, predicateImportance(normal) + (clause.toRemember ? 2 : 0)),
    confidence: 0.8,
    saidBy: "user",
    evidence: clause.sentence,
  };
}

/** "Since Monday" is of a Monday that was. */
function timeIn(text: string, { at, past }: { readonly at: number; readonly past: boolean }): When | null {
  const when = findWhen(text, { at, past });
  return isBeginning(when) ? findWhen(text, { at, past: true }) : when;
}

const isBeginning = (when: When | null): boolean => when !== null && /^since /i.test(when.words);

/** "Tom lives in Paris in May": no beginning of what is so now. */
const isOnlyThen = (
  { from, words }: When,
  { at, event, past }: { readonly at: number; readonly event: boolean; readonly past: boolean },
): boolean => from > at && !event && !past && /^in /i.test(words);

const DATED = /^(?:birthday|anniversary|age|plans to|has|booked)$/;
const RELATIVE = /day|week|month|year|tonight|weekend|spring|summer|autumn|fall|winter/i;

const SHOWN: Readonly<Record<string, string>> = {
  "allergic to": "is allergic to",
  diet: "follows the diet:",
  "is from": "is from",
  has: "has",
};
const OWN = /^(?:age|weight|height|marital status|birthday|name)$/;

function wording({
  subject,
  predicate,
  object,
  verb,
  isAttribute = false,
  negated = false,
  clause,
}: Statement): string {
  const owner = subject.startsWith(USER) ? `User${subject.slice(USER.length)}` : subject;
  if (isAttribute || OWN.test(predicate)) return `${owner}'s ${predicate} is ${negated ? "not " : ""}${object}`;
  const does = verb ?? SHOWN[predicate] ?? predicate;
  if (!negated) return `${owner} ${does} ${object}`;
  if (/\b(?:no longer|any ?more|used to|quit|left|stopped)\b/i.test(clause.text))
    return `${owner} no longer ${does} ${object}`;
  if (/^(?:is|cannot|can)\b/.test(does)) return `${owner} ${does.replace(/^\w+/, "$& not")} ${object}`;
  return `${owner} does not ${does.replace(/^(\w+?)(?:(?<=[sxh])es|s)(?= |$)/, "$1")} ${object}`;
}
