import type { Round } from "../memory/rounds-to-learn.ts";
import type { Extraction } from "./extraction.ts";
import { type SoundFact, judgeFact } from "./judge-fact.ts";
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
    people: people.filter(
      ({ name, aliases }) => name.length <= LONGEST_NAME && !holdsSecret([name, ...aliases].join(" ")),
    ),
    episode: episode === null || holdsSecret(`${episode.key} ${episode.description}`) ? null : episode,
    names: [...new Set(sentences.filter((sentence) => !holdsSecret(sentence)).flatMap(namesIn))],
  };
}

const LONGEST_NAME = 100;
