import type { Round } from "../memory/rounds-to-learn.ts";
import type { Extraction } from "./extraction.ts";
import { type SoundFact, judgeFact, namesAgree } from "./judge-fact.ts";
import { judgePerson } from "./judge-person.ts";
import { namesIn } from "./normal-words.ts";
import { type Boilerplate, holdsSecret } from "./refused-words.ts";
import { sentencesOf } from "./sentences.ts";
import { SourceWords } from "./source-words.ts";
import type { SpokenDates } from "./spoken-dates.ts";

/** What of a round may be believed, and by which names it is to be found. */
export interface SoundRound extends Omit<Extraction, "facts"> {
  readonly facts: readonly SoundFact[];
  readonly names: readonly string[];
}

/** Before anything is written: what is found is held against the round it is said to come from. */
export function judgeRound(
  round: Round,
  { facts, people, episode }: Extraction,
  { boilerplate, dates }: { readonly boilerplate: Boilerplate; readonly dates: SpokenDates },
): SoundRound {
  const sources = new SourceWords(round);
  const sentences = sentencesOf(round.episode?.question ?? "");
  return {
    facts: facts.flatMap((fact) => judgeFact(fact, { round, sources, boilerplate, dates }) ?? []),
    people: people.flatMap((person) => judgePerson(person, sources) ?? []),
    episode: episode !== null && isOfRound(episode, round) ? episode : null,
    names: [...new Set(sentences.filter((sentence) => !holdsSecret(sentence)).flatMap(namesIn))],
  };
}

/** A key and a description may be in other words than the round, but name nobody else. */
function isOfRound(
  { key, description }: NonNullable<Extraction["episode"]>,
  { episode, asked, notes }: Round,
): boolean {
  const text = [episode?.question, episode?.answer, ...asked.map(({ answer }) => answer), ...notes].join("\n");
  return !holdsSecret(`${key} ${description}`) && namesAgree(`${key}.\n${description}`, text);
}
