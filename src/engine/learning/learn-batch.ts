import { setImmediate as nextTurn } from "node:timers/promises";
import type { LearningBatchTable } from "../memory/learning-batches.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import { textTokens } from "../model/context-window.ts";
import type { ModelFailure } from "../model/model-provider.ts";
import { type DraftParts, draftSkills } from "./draft-skills.ts";
import { type Extractor, NOTHING } from "./extraction.ts";
import type { Consolidated } from "./profile/consolidate-profile.ts";
import { type LearnParts, type LearnedCounts, learnRound } from "./learn-round.ts";
import { verifyRound } from "./verify-round.ts";

export interface BatchParts extends LearnParts, DraftParts {
  readonly batches: LearningBatchTable;
  readonly lane: WriteLane;
  readonly extract: Extractor;
  /** Writes the profile page anew if its facts have changed. */
  readonly consolidate: (signal: AbortSignal) => Promise<Consolidated>;
  readonly now: () => number;
}

export interface BatchOutcome {
  readonly id: string;
  readonly learned: LearnedCounts;
  readonly skillsDrafted: number;
  /** Lines of the profile that were written or removed. */
  readonly profileLines: number;
  /** Why the batch stopped early; null when it completed. */
  readonly stopped: ModelFailure | null;
}

/** Turns per batch. */
export const MAX_ROUNDS = 50;
const MAX_CHUNK_TOKENS = 12_000;

/**
 * Learns from the oldest unlearned turns. Each turn is one short transaction that also marks it as learned, so an
 * interrupted batch continues at the next turn and learns nothing twice.
 */
export async function learnBatch(parts: BatchParts, signal: AbortSignal): Promise<BatchOutcome> {
  const { rounds, batches, lane, toolNamed, now } = parts;
  const id = await lane.run(() => {
    batches.closeInterrupted(now());
    return batches.begin(now());
  });
  let learned: LearnedCounts = { trajectories: 0, episodes: 0, added: 0, closed: 0, nodes: 0 };
  let [skillsDrafted, profileLines] = [0, 0];
  let stopped: BatchOutcome["stopped"] = null;
  const counts = () => ({ ...learned, skills: skillsDrafted, profile: profileLines });
  try {
    const waiting = rounds.next(MAX_ROUNDS);
    // Loaded lazily: an engine that does not learn needs no date parser.
    const { DateExpressions } = await import("./date-expressions.ts");
    for (const chunk of chunksOf(waiting)) {
      const outcome = signal.aborted ? ABORTED : await parts.extract(chunk, signal);
      if (outcome.kind === "stopped") {
        stopped = outcome.failure;
        break;
      }
      for (const round of chunk) {
        const extraction = round.episode === null ? NOTHING : outcome.extractions.get(round.trajectory.turnId);
        if (extraction === undefined || signal.aborted) break;
        const verified = verifyRound(round, extraction, { dates: new DateExpressions(statedAt(round)), toolNamed });
        const more = await lane.run(() => learnRound(parts, { round, verified, batchId: id, now: now() }));
        learned = sum(learned, more);
      }
      await nextTurn();
    }
    if (!signal.aborted) skillsDrafted = await draftSkills(parts, lane);
    // A full batch has more to read: the last one writes the page.
    if (stopped === null && !signal.aborted && waiting.length < MAX_ROUNDS) {
      const page = await parts.consolidate(signal);
      learned = { ...learned, closed: learned.closed + page.closed };
      ({ stopped } = page);
      profileLines = page.lines;
    }
    const error = stopped?.kind ?? null;
    await lane.run(() => batches.end(id, { endedAt: now(), counts: counts(), error }));
    return { id, learned, skillsDrafted, profileLines, stopped };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await lane.run(() => batches.end(id, { endedAt: now(), counts: counts(), error: message }));
    throw error;
  }
}

const ABORTED = { kind: "stopped", failure: { kind: "aborted" } } as const;

const statedAt = ({ episode, trajectory }: Round): number => episode?.eventTime ?? trajectory.createdAt;

const sum = (one: LearnedCounts, other: LearnedCounts): LearnedCounts => ({
  trajectories: one.trajectories + other.trajectories,
  episodes: one.episodes + other.episodes,
  added: one.added + other.added,
  closed: one.closed + other.closed,
  nodes: one.nodes + other.nodes,
});

/** Splits rounds into chunks for one model call each. */
function chunksOf(rounds: readonly Round[]): readonly (readonly Round[])[] {
  const chunks: Round[][] = [];
  let room = 0;
  for (const round of rounds) {
    const { question = "", answer = "" } = round.episode ?? {};
    const tokens = textTokens(question) + textTokens(answer) + textTokens(round.notes.join("\n"));
    if (tokens > room || chunks.length === 0) {
      chunks.push([]);
      room = MAX_CHUNK_TOKENS;
    }
    chunks.at(-1)?.push(round);
    room -= tokens;
  }
  return chunks;
}
