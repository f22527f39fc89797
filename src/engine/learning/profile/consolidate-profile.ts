import { sha256 } from "../../../contract/orchestrator/api-keys.ts";
import { MAX_PROFILE_BYTES, profileBytes } from "../../../contract/engine/profile.ts";
import type { KnowledgeTable } from "../../memory/knowledge.ts";
import type { ProfileFacts } from "../../memory/profile/profile-facts.ts";
import type { ProfileTable, StoredLine } from "../../memory/profile/profile-table.ts";
import { type FullTextIndex, factItem } from "../../memory/search/memory-index.ts";
import type { WriteLane } from "../../memory/write-lane.ts";
import type { ModelFailure } from "../../model/model-provider.ts";
import { type LearningModel, askModel } from "../ask-model.ts";
import { type ShownFact, profileInput } from "./profile-input.ts";
import { type ProfileAnswer, profileQuestion } from "./profile-question.ts";
import { type Outdated, verifyPage } from "./verify-page.ts";

export interface ProfileParts {
  readonly profile: ProfileTable;
  readonly profileFacts: ProfileFacts;
  readonly knowledge: KnowledgeTable;
  readonly index: Pick<FullTextIndex, "put">;
  readonly lane: WriteLane;
  readonly model: LearningModel;
  readonly now: () => number;
}

export interface Consolidated {
  /** Lines that were written or removed. */
  readonly lines: number;
  /** Facts that a later one has closed. */
  readonly closed: number;
  /** Why no page was made; null when it is current. */
  readonly stopped: ModelFailure | null;
}

interface Input {
  readonly facts: readonly ShownFact[];
  readonly lines: readonly StoredLine[];
  /** Changes with the facts and with what a person has corrected. */
  readonly digest: string;
}

const MAX_FACTS = 150;
const UNCHANGED: Consolidated = { lines: 0, closed: 0, stopped: null };

/** Writes the profile page anew with one question to a model, if its facts have changed since the last page. */
export async function consolidateProfile(parts: ProfileParts, signal: AbortSignal): Promise<Consolidated> {
  const { profile, lane, model } = parts;
  const input = await lane.run(() => readInput(parts));
  const { facts, lines, digest } = input;
  if (profile.madeFrom() === digest) return UNCHANGED;
  if (facts.length === 0) return lane.run(() => writePage(parts, input, NO_PAGE));
  const answer = await askModel(model, profileQuestion(facts, lines, bytesLeft(lines)), signal);
  switch (answer.kind) {
    case "answered":
      return lane.run(() => writePage(parts, input, answer.value));
    case "stopped":
      return { ...UNCHANGED, stopped: answer.failure };
    case "unusable":
      return UNCHANGED;
    case "too_long":
    case "unreadable":
      // The next page is asked for when the facts have changed: a batch must not pay for the same failure again.
      await lane.run(() => profile.setMadeFrom(digest));
      return UNCHANGED;
    default:
      return answer satisfies never;
  }
}

const NO_PAGE: ProfileAnswer = { lines: [], outdated: [] };

function readInput({ profile, profileFacts }: Pick<ProfileParts, "profile" | "profileFacts">): Input {
  const facts = profileInput(profileFacts.stated(MAX_FACTS), profile.settled());
  const lines = profile.lines();
  const settled = lines.filter(isPersons).map(({ id, text }) => [id, text]);
  return { facts, lines, digest: sha256(JSON.stringify([facts.map(({ id, text }) => [id, text]), settled])) };
}

const isPersons = ({ origin }: StoredLine): boolean => origin === "person";

const bytesLeft = (lines: readonly StoredLine[]): number =>
  Math.max(0, MAX_PROFILE_BYTES - profileBytes(lines.filter(isPersons)));

/** Within the caller's transaction. A page of what has changed meanwhile is left to the next batch. */
function writePage(parts: ProfileParts, { facts, lines, digest }: Input, answer: ProfileAnswer): Consolidated {
  const { profile, now } = parts;
  if (readInput(parts).digest !== digest) return UNCHANGED;
  const taken = lines.filter(isPersons).map(({ text }) => text);
  const page = verifyPage(answer, facts, { taken, bytes: bytesLeft(lines) });
  const closed = page.outdated.filter((one) => closeFact(parts, one)).length;
  const written = profile.replaceLearned(page.lines, now());
  profile.setMadeFrom(closed === 0 ? digest : readInput(parts).digest);
  return { lines: written, closed, stopped: null };
}

function closeFact({ knowledge, index, now }: ProfileParts, { fact, by }: Outdated): boolean {
  const [old, later] = [knowledge.find(fact.id), knowledge.find(by.id)];
  if (old === null || later === null) return false;
  const validTo = Math.max(later.validFrom ?? later.statedAt, old.validFrom ?? Number.NEGATIVE_INFINITY);
  if (!knowledge.close(old.id, { validTo, recordedTo: now(), supersededBy: later.id })) return false;
  index.put(factItem(old, { isLive: false }));
  return true;
}
