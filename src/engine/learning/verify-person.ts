import { isFunctionWord } from "../../shared/words/stop-words.ts";
import { wordRuns, wordsOfRun } from "../../shared/words/index-text.ts";
import { type ExtractedNode, USER } from "./extraction.ts";
import { normalWords } from "./normal-words.ts";
import { containsSecret } from "./contains-secret.ts";
import type { Source, RoundSources } from "./round-sources.ts";

const MAX_NAME_LENGTH = 100;
const NO_NAME: ReadonlySet<string> = new Set(
  `i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs this that
  these those who whom somebody someone anybody anyone everybody everyone nobody one the a an`.split(/\s+/),
);

/** Verifies an entity against its round. Null when the round does not name it. Drops unsupported aliases and relation. */
export function verifyPerson(person: ExtractedNode, sources: RoundSources): ExtractedNode | null {
  const texts = (["user", "note", "assistant"] as const).flatMap((speaker) => sources.of(speaker) ?? []);
  const isValid = (name: string) => isName(name) && name.length <= MAX_NAME_LENGTH && !containsSecret(name);
  const isNamed = (name: string) => isValid(name) && texts.some((source) => standsIn(name, source));
  // A substring match: "My children Ben and Mia" supports "child".
  const isStated = (kin: string) => kin.length > 3 && texts.some(({ text }) => text.toLowerCase().includes(kin));
  const { name, relation, aliases } = person;
  // The user's aliases are learned from facts only.
  if (normalWords(name) === USER || !isNamed(name)) return null;
  return {
    ...person,
    relation: relation !== null && (isNamed(relation) || (isValid(relation) && isStated(relation))) ? relation : null,
    aliases: aliases.filter(isNamed),
  };
}

/** Whether a text can be a name, in contrast to a pronoun or a single letter. */
export const isName = (text: string): boolean =>
  wordRuns(text).some(
    (run) => run.length > 1 && !NO_NAME.has(run.toLowerCase()) && (!isFunctionWord(run) || /^\p{Lu}\p{Ll}/u.test(run)),
  );

/** Whether the source contains each word of a name. A function word, such as "Will", must match exactly. */
const standsIn = (name: string, { text, words }: Pick<Source, "text" | "words">): boolean =>
  wordRuns(name).every((run) => {
    const wanted = wordsOfRun(run);
    return wanted.length === 0 ? text.includes(run) : wanted.every((word) => words.has(word));
  });
