import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { type FullTextIndex, episodeItem, factItem } from "../memory/search/memory-index.ts";
import type { KnowledgeTable, KnownFact } from "../memory/knowledge.ts";
import { oppositePredicate, predicateHints } from "../memory/predicates.ts";
import type { Round, RoundsToLearn } from "../memory/rounds-to-learn.ts";
import { leastTrust } from "../memory/trust.ts";
import type { EntityResolver } from "./entity-resolver.ts";
import { USER } from "./extraction.ts";
import type { VerifiedFact } from "./verify-fact.ts";
import { isName } from "./verify-person.ts";
import type { VerifiedRound } from "./verify-round.ts";
import { normalWords, numbersIn } from "./normal-words.ts";
import { endOf, resolveConflict } from "./resolve-conflict.ts";

const MAX_KEYS_LENGTH = 2000;
const MONTHS = "January February March April May June July August September October November December".split(" ");

export interface LearnParts {
  readonly rounds: RoundsToLearn;
  readonly knowledge: KnowledgeTable;
  readonly people: EntityResolver;
  readonly index: Pick<FullTextIndex, "put">;
}

export interface LearnedCounts {
  readonly trajectories: number;
  readonly episodes: number;
  readonly added: number;
  readonly closed: number;
  readonly nodes: number;
}

type Episode = NonNullable<Round["episode"]>;

/** Stores what was learned from a round, within the caller's transaction. Idempotent: a learned round changes nothing. */
export function learnRound(
  { rounds, knowledge, people, index }: LearnParts,
  {
    round,
    verified,
    batchId,
    now,
  }: { readonly round: Round; readonly verified: VerifiedRound; readonly batchId: string; readonly now: number },
): LearnedCounts {
  const { trajectory, episode } = round;
  const learned = { trajectories: 1, episodes: 0, added: 0, closed: 0, nodes: 0 };
  if (!rounds.markLearned(trajectory.number, batchId)) return { ...learned, trajectories: 0 };
  if (episode === null) return learned;
  const { facts, names } = verified;
  const place = { at: episode.eventTime, ref: episode.id, now };
  for (const person of verified.people) {
    const trust = trustOfNode(person.name, facts, round);
    if (trust !== null && people.resolve(person, { ...place, trust }).isNew) learned.nodes++;
  }
  for (const fact of facts) {
    const known = people.namesOf(fact.subject);
    const taken = storeFact({ fact, names: known, episode, now }, { knowledge, index });
    learned.added += taken.added;
    learned.closed += taken.closed;
    if (fact.subject === USER && /^(?:name|wants to be called)$/.test(fact.predicate) && isName(fact.object))
      people.resolve(
        { name: USER, type: "person", relation: null, aliases: [fact.object] },
        { ...place, trust: fact.trust },
      );
  }
  people.mention(names, place);
  const refined = {
    ...(verified.episode ?? { key: episode.key, description: episode.description, importance: 1 }),
    keys: roundKeys(facts),
  };
  const importance = Math.max(episode.importance, refined.importance, ...facts.map((fact) => fact.importance));
  rounds.refine(episode.id, { ...refined, importance });
  if (refined.keys !== "") index.put(episodeItem(episode, refined.keys));
  return { ...learned, episodes: 1 };
}

/** Least trust of the facts about an entity; null when there are none and the user did not name it. */
function trustOfNode(name: string, facts: readonly VerifiedFact[], { episode, contextTrust, messageTrust }: Round) {
  const about = facts.filter(({ subject, object }) => [subject, normalWords(object)].includes(normalWords(name)));
  const [first, ...rest] = about.map(({ trust }) => trust);
  if (first !== undefined) return leastTrust(first, ...rest);
  return episode?.question.includes(name) === true ? leastTrust(contextTrust, messageTrust) : null;
}

interface FactCounts {
  readonly added: number;
  readonly closed: number;
}

function storeFact(
  { fact, names, episode, now }: { fact: VerifiedFact; names: readonly string[]; episode: Episode; now: number },
  { knowledge, index }: Pick<LearnParts, "knowledge" | "index">,
): FactCounts {
  const subject = names[0] ?? fact.subject;
  const hash = hashOf({ ...fact, subject });
  const nothing = { added: 0, closed: 0 };
  if (knowledge.isLearnedFrom(episode.id, hash)) return nothing;
  const known = knowledge.live(hash) ?? knowledge.closedAt(hash, fact.validFrom ?? fact.statedAt);
  if (known !== null) {
    knowledge.addEvidence(known.id, episode.id);
    return nothing;
  }
  // A predicate that allows several objects conflicts only with its negation.
  const predicates = [...(fact.single ? [fact.predicate] : []), oppositePredicate(fact.predicate)];
  const about = names.flatMap((name) => predicates.flatMap((predicate) => knowledge.liveAbout(name, predicate)));
  const { closes, closedBy } = resolveConflict(fact, about);
  const closing =
    closedBy === null ? null : { validTo: endOf(fact, closedBy), recordedTo: now, supersededBy: closedBy.id };
  const { content, predicate, object, importance, confidence, source, trust, validFrom } = fact;
  const added = knowledge.insert(
    { content, subject, predicate, object, hash, importance, confidence, source, trust, validFrom },
    { statedAt: fact.statedAt, recordedFrom: now },
    closing,
  );
  knowledge.addEvidence(added.id, episode.id);
  const put = (one: KnownFact) => index.put(factItem(one, { isLive: one.recordedTo === null }));
  put(added);
  for (const old of closes) {
    const end = { validTo: endOf(old, fact), recordedTo: now, supersededBy: added.id };
    if (knowledge.close(old.id, end)) put({ ...old, ...end });
  }
  return { added: 1, closed: closes.length };
}

/** Equal for equal facts; differs with any number, date or negation. */
const hashOf = ({ subject, predicate, object, content }: VerifiedFact): string =>
  sha256(JSON.stringify([subject, predicate, normalWords(object), numbersIn(content).toSorted()]));

/** Additional index text of a round: its facts, synonyms of their predicates, and months. With names, recall@5 falls by 0.006. */
function roundKeys(facts: readonly VerifiedFact[]): string {
  const hints = facts.flatMap(({ predicate }) => predicateHints(predicate).split(" "));
  const months = facts.flatMap(({ content }) =>
    [...content.matchAll(/\b\d{4}-(\d{2})\b/g)].map(([, month]) => MONTHS[Number(month) - 1] ?? ""),
  );
  const words = [...facts.map(({ content }) => content), ...new Set([...hints, ...months])];
  return words
    .filter((word) => word !== "")
    .join(" ")
    .slice(0, MAX_KEYS_LENGTH)
    .toWellFormed();
}
