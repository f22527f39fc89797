import { sha256 } from "../../contract/api-keys.ts";
import { episodeItem } from "../memory/memory-writer.ts";
import type { MemoryIndex } from "../memory/search/indexed-item.ts";
import { type KnowledgeTable, type KnownFact, factItem } from "../memory/knowledge.ts";
import { oppositePredicate, predicateHints } from "../memory/predicates.ts";
import type { Round, RoundsToLearn } from "../memory/rounds-to-learn.ts";
import { leastTrust } from "../memory/trust.ts";
import type { EntityResolver } from "./entity-resolver.ts";
import { USER } from "./extraction.ts";
import type { SoundFact } from "./judge-fact.ts";
import { isName } from "./judge-person.ts";
import type { SoundRound } from "./judge-round.ts";
import { normalWords, numbersIn } from "./normal-words.ts";
import { endOf, resolveConflict } from "./resolve-conflict.ts";
import { roundKeys } from "./round-keys.ts";

export interface LearnParts {
  readonly rounds: RoundsToLearn;
  readonly knowledge: KnowledgeTable;
  readonly people: EntityResolver;
  readonly index: MemoryIndex;
}

export interface Learnt {
  readonly trajectories: number;
  readonly episodes: number;
  readonly added: number;
  readonly closed: number;
  readonly nodes: number;
}

type Episode = NonNullable<Round["episode"]>;

/**
 * Takes in what a round says, all of it or nothing: within the caller's transaction. What has been taken in before
 * changes nothing, however often it comes.
 */
export function learnRound(
  { rounds, knowledge, people, index }: LearnParts,
  {
    round,
    sound,
    batchId,
    now,
  }: { readonly round: Round; readonly sound: SoundRound; readonly batchId: string; readonly now: number },
): Learnt {
  const { trajectory, episode } = round;
  const learnt = { trajectories: 1, episodes: 0, added: 0, closed: 0, nodes: 0 };
  if (!rounds.learned(trajectory.number, batchId)) return { ...learnt, trajectories: 0 };
  if (episode === null) return learnt;
  const { facts, names } = sound;
  const place = { at: episode.eventTime, ref: episode.id, now };
  for (const person of sound.people) {
    const trust = trustOfNode(person.name, facts, round);
    if (trust !== null && people.meet(person, { ...place, trust }).isNew) learnt.nodes++;
  }
  for (const fact of facts) {
    const known = people.namesOf(fact.subject);
    const taken = takeIn({ fact, names: known, episode, now }, { knowledge, index });
    learnt.added += taken.added;
    learnt.closed += taken.closed;
    if (fact.subject === USER && /^(?:name|wants to be called)$/.test(fact.predicate) && isName(fact.object))
      people.meet(
        { name: USER, type: "person", relation: null, aliases: [fact.object] },
        { ...place, trust: fact.trust },
      );
  }
  people.mention(names, place);
  const refined = {
    ...(sound.episode ?? { key: episode.key, description: episode.description, importance: 1 }),
    keys: roundKeys(facts, names),
  };
  const importance = Math.max(episode.importance, refined.importance, ...facts.map((fact) => fact.importance));
  rounds.refine(episode.id, { ...refined, importance });
  index.put(episodeItem({ ...episode, ...refined, importance }, refined.keys));
  return { ...learnt, episodes: 1 };
}

/** Somebody is as well known as what is said of them; null where nothing is, and the user did not name them. */
function trustOfNode(name: string, facts: readonly SoundFact[], { episode, contextTrust }: Round) {
  const about = facts.filter(({ subject, object }) => [subject, normalWords(object)].includes(normalWords(name)));
  const [first, ...rest] = about.map(({ trust }) => trust);
  if (first !== undefined) return leastTrust(first, ...rest);
  return episode?.question.includes(name) === true ? contextTrust : null;
}

interface Taken {
  readonly added: number;
  readonly closed: number;
}

function takeIn(
  { fact, names, episode, now }: { fact: SoundFact; names: readonly string[]; episode: Episode; now: number },
  { knowledge, index }: Pick<LearnParts, "knowledge" | "index">,
): Taken {
  const subject = names[0] ?? fact.subject;
  const hash = hashOf({ ...fact, subject });
  const nothing = { added: 0, closed: 0 };
  if (knowledge.learntFrom(episode.id, hash)) return nothing;
  const known = knowledge.live(hash) ?? knowledge.closedAt(hash, fact.validFrom ?? fact.toldAt);
  if (known !== null) {
    knowledge.addEvidence(known.id, episode.id);
    return nothing;
  }
  // Of what may be so many times over, and often is, only what denies it can be against it.
  const predicates = [...(fact.single ? [fact.predicate] : []), oppositePredicate(fact.predicate)];
  const about = names.flatMap((name) => predicates.flatMap((predicate) => knowledge.liveAbout(name, predicate)));
  const { closes, closedBy } = resolveConflict(fact, about);
  const closing =
    closedBy === null ? null : { validTo: endOf(fact, closedBy), recordedTo: now, supersededBy: closedBy.id };
  const { content, predicate, object, importance, confidence, source, trust, validFrom } = fact;
  const added = knowledge.insert(
    { content, subject, predicate, object, hash, importance, confidence, source, trust, validFrom },
    { toldAt: fact.toldAt, recordedFrom: now },
    closing,
  );
  knowledge.addEvidence(added.id, episode.id);
  const put = (one: KnownFact) =>
    index.put(factItem(one, { taskId: episode.taskId, turnId: episode.turnId, keys: predicateHints(one.predicate) }));
  put(added);
  for (const old of closes) {
    const end = { validTo: endOf(old, fact), recordedTo: now, supersededBy: added.id };
    if (knowledge.close(old.id, end)) put({ ...old, ...end });
  }
  return { added: 1, closed: closes.length };
}

/** The same for what says the same; never where a number, a date or a denial differs. */
const hashOf = ({ subject, predicate, object, content }: SoundFact): string =>
  sha256(JSON.stringify([subject, predicate, normalWords(object), numbersIn(content).toSorted()]));
