import type { Round } from "../../memory/rounds-to-learn.ts";
import { type ExtractedFact, type ExtractedNode, type Extraction, NOTHING } from "../extraction.ts";
import { clausesOf } from "./clauses.ts";
import { noteFacts } from "./note-facts.ts";
import { Speaking } from "./speaking.ts";
import { factOf } from "./statement.ts";
import { statementsIn } from "./statements.ts";

const MOST_FACTS = 25;

/** What the user says of themselves and of others in a round, found without a model: by how English says such things. */
export function extractByRules({ episode, asked, notes }: Round): Extraction {
  if (episode === null) return NOTHING;
  const speaking = new Speaking();
  const texts = [episode.question, ...asked.map(({ answer }) => answer)];
  const facts: ExtractedFact[] = texts.flatMap((text) =>
    clausesOf(text)
      .flatMap((clause) => statementsIn(clause, speaking))
      .flatMap((statement) => factOf(statement, episode.eventTime) ?? []),
  );
  return {
    facts: [...unique(facts), ...notes.flatMap((note) => noteFacts(note, episode.eventTime))].slice(0, MOST_FACTS),
    people: [...speaking.people(), ...placesOf(facts)],
    episode: null,
  };
}

function unique(facts: readonly ExtractedFact[]): readonly ExtractedFact[] {
  const seen = new Set<string>();
  return facts.filter(({ subject, predicate, object }) => {
    const key = `${subject}\n${predicate}\n${object}`.toLowerCase();
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** Where somebody works and lives belongs to whom they have to do with. */
const placesOf = (facts: readonly ExtractedFact[]): readonly ExtractedNode[] =>
  facts.flatMap(({ predicate, object, negated }): readonly ExtractedNode[] => {
    if (negated || !/^\p{Lu}/u.test(object)) return [];
    const node = { name: object, relation: null, aliases: [] };
    if (predicate === "works at" || predicate === "studies at") return [{ ...node, type: "organisation" }];
    return predicate === "lives in" ? [{ ...node, type: "place" }] : [];
  });
