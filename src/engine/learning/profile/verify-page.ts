import { MAX_LINE_LENGTH, profileBytes } from "../../../contract/engine/profile.ts";
import type { WrittenLine } from "../../memory/profile/profile-table.ts";
import { isNegated, normalWords, numbersIn } from "../normal-words.ts";
import { namesAgree } from "../verify-fact.ts";
import { type ShownFact, isSupported } from "./profile-input.ts";
import type { AnsweredLine, ProfileAnswer } from "./profile-question.ts";

/** Facts that one page may close. A model that closes more has misread its input. */
const MAX_OUTDATED = 10;

/** A fact that a later one has made untrue. */
export interface Outdated {
  readonly fact: ShownFact;
  readonly by: ShownFact;
}

/**
 * The lines of a model that say what their facts say, as many as fit. A line that says anything else is replaced by the
 * words of its facts. `taken` are the texts of lines that a person has written.
 */
export function verifyPage(
  answer: ProfileAnswer,
  facts: readonly ShownFact[],
  { taken, bytes }: { readonly taken: readonly string[]; readonly bytes: number },
): { readonly lines: readonly WrittenLine[]; readonly outdated: readonly Outdated[] } {
  const outdated = outdatedBy(answer, facts);
  const isOutdated = new Set(outdated.map(({ fact }) => fact));
  const seen = new Set(taken.map(normalWords));
  const lines: WrittenLine[] = [];
  for (const line of answer.lines.flatMap((one) => verifyLine(one, facts, isOutdated))) {
    const words = normalWords(line.text);
    if (seen.has(words) || profileBytes([...lines, line]) > bytes) continue;
    seen.add(words);
    lines.push(line);
  }
  return { lines, outdated };
}

/** The user said the one later than the other, or both repeat each other, about the same subject. */
function outdatedBy({ outdated }: ProfileAnswer, facts: readonly ShownFact[]): readonly Outdated[] {
  const known = new Map<ShownFact, ShownFact>();
  for (const { fact: number, by: other } of outdated) {
    const [fact, by] = [facts[number - 1], facts[other - 1]];
    if (fact === undefined || by === undefined || fact === by || fact.subject !== by.subject) continue;
    // Neither a circle of facts nor a chain is closed.
    if (fact.statedAt <= by.statedAt && !known.has(by) && ![...known.values()].includes(fact)) known.set(fact, by);
  }
  return [...known].slice(0, MAX_OUTDATED).map(([fact, by]) => ({ fact, by }));
}

function verifyLine(
  { section, text, facts: numbers }: AnsweredLine,
  facts: readonly ShownFact[],
  isOutdated: ReadonlySet<ShownFact>,
): readonly WrittenLine[] {
  const said = [...new Set(numbers)].flatMap((number) => facts[number - 1] ?? []).filter((one) => !isOutdated.has(one));
  if (said.length === 0) return [];
  const line = singleLine(text);
  if (line !== "" && line.length <= MAX_LINE_LENGTH && says(line, said))
    return [{ section, text: line, facts: said.map(({ id }) => id) }];
  return said.flatMap((fact) =>
    fact.text.length <= MAX_LINE_LENGTH ? [{ section, text: singleLine(fact.text), facts: [fact.id] }] : [],
  );
}

/** Whether a line has no word, name, number or negation but those of its facts. */
function says(line: string, facts: readonly ShownFact[]): boolean {
  const text = facts.map((fact) => fact.text).join("\n");
  const words = new Set(facts.flatMap((fact) => [...fact.words]));
  const numbers = new Set(numbersIn(text));
  return (
    isSupported(line, words) &&
    namesAgree(line, text) &&
    numbersIn(line).every((number) => numbers.has(number)) &&
    facts.every((fact) => isNegated(fact.text) === isNegated(line))
  );
}

const singleLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .toWellFormed();
