import { isFunctionWord } from "../memory/search/stop-words.ts";
import { wordRuns, wordsOfRun } from "../memory/search/index-text.ts";
import { type ExtractedNode, USER } from "./extraction.ts";
import { normalWords } from "./normal-words.ts";
import { holdsSecret } from "./refused-words.ts";
import type { Source, SourceWords } from "./source-words.ts";

const LONGEST_NAME = 100;
const NO_NAME: ReadonlySet<string> = new Set(
  `i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs this that
  these those who whom somebody someone anybody anyone everybody everyone nobody one the a an`.split(/\s+/),
);

/**
 * Holds somebody against the round they are said to come from. Null: the round does not name them. Aliases and a
 * relation that the round does not have are left out.
 */
export function judgePerson(person: ExtractedNode, sources: SourceWords): ExtractedNode | null {
  const said = (["user", "note", "assistant"] as const).flatMap((saidBy) => sources.of(saidBy) ?? []);
  const isSound = (name: string) => isName(name) && name.length <= LONGEST_NAME && !holdsSecret(name);
  const isNamed = (name: string) => isSound(name) && said.some((source) => standsIn(name, source));
  // "My children Ben and Mia": each of them is a child.
  const isSaid = (kin: string) => kin.length > 3 && said.some(({ text }) => text.toLowerCase().includes(kin));
  const { name, relation, aliases } = person;
  // What the user is called is learnt from facts: here nothing says that an alias is theirs.
  if (normalWords(name) === USER || !isNamed(name)) return null;
  return {
    ...person,
    relation: relation !== null && (isNamed(relation) || (isSound(relation) && isSaid(relation))) ? relation : null,
    aliases: aliases.filter(isNamed),
  };
}

/** Whether a text can name anybody: a blank, a pronoun or a single letter cannot. */
export const isName = (text: string): boolean =>
  wordRuns(text).some(
    (run) => run.length > 1 && !NO_NAME.has(run.toLowerCase()) && (!isFunctionWord(run) || /^\p{Lu}\p{Ll}/u.test(run)),
  );

/** Whether each word of a name stands in the source; one that is no word of content, such as "Will", as it is written. */
export const standsIn = (name: string, { text, words }: Pick<Source, "text" | "words">): boolean =>
  wordRuns(name).every((run) => {
    const wanted = wordsOfRun(run);
    return wanted.length === 0 ? text.includes(run) : wanted.every((word) => words.has(word));
  });
