import { setImmediate as nextTurn } from "node:timers/promises";
import type { LearningBatchTable } from "../memory/learning-batches.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import type { ModelFailure } from "../model/model-provider.ts";
import { chunksOf } from "./chunks.ts";
import { type DraftParts, draftSkills } from "./draft-skills.ts";
import { NOTHING } from "./extraction.ts";
import type { Extractor } from "./extractor.ts";
import { judgeRound } from "./judge-round.ts";
import { type LearnParts, type Learnt, learnRound } from "./learn-round.ts";
import type { Boilerplate } from "./refused-words.ts";

export interface BatchParts extends LearnParts, DraftParts {
  readonly batches: LearningBatchTable;
  readonly lane: WriteLane;
  readonly extract: Extractor;
  readonly boilerplate: () => Boilerplate;
  /** Waits until a call to the model may be made, unless that takes too long. */
  readonly mayAsk: (signal: AbortSignal) => Promise<MayAsk>;
  readonly now: () => number;
}

export type MayAsk = { readonly kind: "yes" } | LimitClosed;
export interface LimitClosed {
  readonly kind: "limit_closed";
  readonly forMs: number;
}

export interface BatchOutcome {
  readonly id: string;
  readonly learnt: Learnt;
  readonly skillsDrafted: number;
  /** Why it ended before its end; null where it did not. */
  readonly stopped: ModelFailure | LimitClosed | null;
}

/** How many turns a batch reads. */
export const MOST_ROUNDS = 50;

/**
 * Reads the oldest turns that no batch has read and takes in what they say, each in a short transaction of its own with
 * the mark that it was read: whatever ends it, the next one goes on there, and nothing is learnt twice.
 */
export async function learnBatch(parts: BatchParts, signal: AbortSignal): Promise<BatchOutcome> {
  const { rounds, batches, lane, now } = parts;
  const id = await lane.run(() => {
    batches.closeAbandoned(now());
    return batches.begin(now());
  });
  let learnt: Learnt = { trajectories: 0, episodes: 0, added: 0, closed: 0, nodes: 0 };
  let skillsDrafted = 0;
  let stopped: BatchOutcome["stopped"] = null;
  const counts = () => ({ ...learnt, skills: skillsDrafted });
  try {
    const waiting = rounds.next(MOST_ROUNDS);
    const boilerplate = parts.boilerplate();
    // Loaded by the first batch: an engine that does not learn carries no date parser.
    const { SpokenDates } = await import("./spoken-dates.ts");
    for (const chunk of chunksOf(waiting)) {
      const outcome = await extracted(parts, chunk, signal);
      if (outcome.kind === "stopped") {
        stopped = outcome.failure;
        break;
      }
      for (const round of chunk) {
        const extraction = round.episode === null ? NOTHING : outcome.extractions.get(round.trajectory.turnId);
        if (extraction === undefined || signal.aborted) break;
        const sound = judgeRound(round, extraction, { boilerplate, dates: new SpokenDates(toldAt(round)) });
        const more = await lane.run(() => learnRound(parts, { round, sound, batchId: id, now: now() }));
        learnt = sum(learnt, more);
      }
      await nextTurn();
    }
    if (!signal.aborted) skillsDrafted = await draftSkills(parts, lane);
    const error = stopped?.kind ?? null;
    await lane.run(() => batches.end(id, { endedAt: now(), counts: counts(), error }));
    return { id, learnt, skillsDrafted, stopped };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await lane.run(() => batches.end(id, { endedAt: now(), counts: counts(), error: why }));
    throw error;
  }
}

async function extracted({ extract, mayAsk }: BatchParts, chunk: Parameters<Extractor>[0], signal: AbortSignal) {
  if (signal.aborted) return { kind: "stopped", failure: { kind: "aborted" } } as const;
  const leave = await mayAsk(signal);
  if (leave.kind === "limit_closed") return { kind: "stopped", failure: leave } as const;
  return extract(chunk, signal);
}

const toldAt = ({ episode, trajectory }: Round): number => episode?.eventTime ?? trajectory.createdAt;

const sum = (one: Learnt, other: Learnt): Learnt => ({
  trajectories: one.trajectories + other.trajectories,
  episodes: one.episodes + other.episodes,
  added: one.added + other.added,
  closed: one.closed + other.closed,
  nodes: one.nodes + other.nodes,
});
