import { indexWords } from "../../../shared/words/index-text.ts";
import { isFunctionWord } from "../../../shared/words/stop-words.ts";
import { isKnownPredicate, isSingle, predicateHints } from "../../memory/predicates.ts";
import type { StatedFact } from "../../memory/profile/profile-facts.ts";
import type { SettledFact } from "../../memory/profile/profile-table.ts";
import { textTokens } from "../../model/context-window.ts";
import { containsSecret } from "../contains-secret.ts";
import { USER } from "../extraction.ts";
import { ownWords } from "../own-words.ts";

/** A fact as the model is shown it. */
export interface ShownFact extends Pick<StatedFact, "id" | "subject" | "statedAt"> {
  readonly text: string;
  /** The words that a line about it may have. */
  readonly words: ReadonlySet<string>;
}

const MAX_TOKENS = 6000;

/**
 * The facts for a profile page: in words of the user's own, about nothing that a person has settled. A model words the
 * facts, so that a sentence may say more than the user did; of such a fact only subject, predicate and object are shown.
 */
export function profileInput(facts: readonly StatedFact[], settled: readonly SettledFact[]): readonly ShownFact[] {
  const shown: ShownFact[] = [];
  let left = MAX_TOKENS;
  for (const fact of facts) {
    if (settled.some((one) => settles(one, fact, settled))) continue;
    const one = shownFact(fact);
    left -= one === null ? 0 : textTokens(one.text);
    if (one !== null && left >= 0) shown.push(one);
  }
  return shown;
}

/**
 * A corrected line settles its facts and others for the same value. A deleted one settles its facts as long as no new
 * round supports them.
 */
function settles({ state, subject, predicate, hash }: SettledFact, fact: StatedFact, all: readonly SettledFact[]) {
  if (state === "corrected") {
    const isSame = subject === fact.subject && predicate === fact.predicate;
    return hash === fact.hash || (isSame && isSingle(predicate, true));
  }
  if (hash !== fact.hash) return false;
  const known = new Set(all.flatMap((one) => (one.state === "deleted" && one.hash === hash ? one.sources : [])));
  return fact.sources.every((source) => known.has(source));
}

function shownFact({ id, content, subject, predicate, object, statedAt, said }: StatedFact): ShownFact | null {
  const vocabulary = isKnownPredicate(predicate) ? `${predicate} ${predicateHints(predicate)}` : "";
  const words = new Set(indexWords([...said.map(ownWords), vocabulary, USER].join("\n")));
  const texts = [content, `${subject} ${predicate}: ${object}`];
  const text = texts.find((one) => isSupported(one, words) && !containsSecret(one));
  return text === undefined ? null : { id, subject, statedAt, text, words: new Set(contentWords(text)) };
}

/** The stems of a text, without function words and numbers, which are compared apart. */
export const contentWords = (text: string): readonly string[] =>
  indexWords(text).filter((word) => !isFunctionWord(word) && !/^\d/.test(word));

export const isSupported = (text: string, words: ReadonlySet<string>): boolean =>
  contentWords(text).every((word) => words.has(word));
