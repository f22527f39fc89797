import type { Round } from "../memory/rounds-to-learn.ts";
import type { ToolNamed } from "../tools/tool.ts";
import { containsSecret } from "./contains-secret.ts";
import type { DateExpressions } from "./date-expressions.ts";
import type { Extraction } from "./extraction.ts";
import { namesIn, sentencesOf } from "./normal-words.ts";
import { RoundSources } from "./round-sources.ts";
import { type VerifiedFact, namesAgree, verifyFact } from "./verify-fact.ts";
import { verifyPerson } from "./verify-person.ts";

/** The verified extraction of a round, and the names in it for the index. */
export interface VerifiedRound extends Omit<Extraction, "facts"> {
  readonly facts: readonly VerifiedFact[];
  readonly names: readonly string[];
}

/** Verifies an extraction against its round. */
export function verifyRound(
  round: Round,
  { facts, people, episode }: Extraction,
  { dates, toolNamed }: { readonly dates: DateExpressions; readonly toolNamed: ToolNamed },
): VerifiedRound {
  const sources = new RoundSources(round, toolNamed);
  const sentences = sentencesOf(round.episode?.question ?? "");
  return {
    facts: facts.flatMap((fact) => verifyFact(fact, { round, sources, dates }) ?? []),
    people: people.flatMap((person) => verifyPerson(person, sources) ?? []),
    episode: episode !== null && isOfRound(episode, round) ? episode : null,
    names: [...new Set(sentences.filter((sentence) => !containsSecret(sentence)).flatMap(namesIn))],
  };
}

/** Key and description may paraphrase the round, but must not contain other names. */
function isOfRound(
  { key, description }: NonNullable<Extraction["episode"]>,
  { episode, asked, notes }: Round,
): boolean {
  const text = [episode?.question, episode?.answer, ...asked.map(({ answer }) => answer), ...notes].join("\n");
  return !containsSecret(`${key} ${description}`) && namesAgree(`${key}.\n${description}`, text);
}
