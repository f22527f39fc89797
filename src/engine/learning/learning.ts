import type { LearningBatch } from "../../contract/engine/learning.ts";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import { EngineError } from "../engine-error.ts";
import { type BatchOutcome, type BatchParts, MAX_ROUNDS, learnBatch } from "./learn-batch.ts";
import { LearningSchedule, type ScheduleParts } from "./learning-schedule.ts";

/** Time for a batch to finish its current write. */
const CLOSE_MS = 2000;

export interface LearningParts extends BatchParts {
  readonly isBusy: ScheduleParts["isBusy"];
  readonly isAllowed: ScheduleParts["isAllowed"];
  readonly schedule?: Pick<ScheduleParts, "timer" | "now" | "everyTurns" | "idleMs">;
  readonly logger: Logger;
}

/** Learns from ended turns, on request and on schedule, one batch at a time. */
export class Learning {
  readonly #parts: LearningParts;
  readonly #schedule: LearningSchedule;
  readonly #stop = new AbortController();
  /** The batch in progress. */
  #running: { readonly ended: Promise<unknown>; readonly abort: AbortController } | undefined;

  constructor(parts: LearningParts) {
    this.#parts = parts;
    this.#schedule = new LearningSchedule({
      ...parts.schedule,
      learn: () => this.#byItself(),
      waiting: () => parts.rounds.waiting(),
      isBusy: parts.isBusy,
      isAllowed: parts.isAllowed,
    });
  }

  /** Runs one batch. Throws `POLICY_DENIED`, `LC_RUNNING`, `ENGINE_DRAINING`, `LLM_RATE_LIMITED` and `LLM_PROVIDER_ERROR`. */
  async trigger(): Promise<LearningBatch> {
    if (this.#stop.signal.aborted)
      throw new EngineError("ENGINE_DRAINING", "the engine is stopping; learning continues at the next start");
    if (!this.#parts.isAllowed()) throw suspended();
    if (this.#running !== undefined) throw new EngineError("LC_RUNNING", "a learning batch is running");
    const startedAt = performance.now();
    const outcome = await this.#run();
    const { id, learned, skillsDrafted, profileLines } = outcome;
    if (learned.trajectories === 0) this.#assertNotStopped(outcome);
    return {
      batch_id: id,
      trajectories: learned.trajectories,
      episodes: learned.episodes,
      knowledge_added: learned.added,
      knowledge_closed: learned.closed,
      nodes: learned.nodes,
      profile_lines: profileLines,
      skills_drafted: skillsDrafted,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** Whether there are turns that no batch has tried to learn. */
  get isDue(): boolean {
    return this.#schedule.isDue;
  }

  /** Milliseconds until the next batch of the schedule. Null when there is nothing to learn. */
  get dueInMs(): number | null {
    return this.#schedule.dueInMs;
  }

  /** Starts a batch that is due. */
  runDue(): void {
    this.#schedule.runDue();
  }

  turnEnded(): void {
    this.#schedule.turnEnded();
  }

  /** Stops between two transactions; the rest is learned after the next start. */
  stop(): void {
    this.#schedule.close();
    this.#stop.abort();
  }

  /** Waits, for a limited time, for the current write of a batch. */
  async close(): Promise<void> {
    this.stop();
    const ended = this.#running?.ended.catch(() => undefined);
    if (ended !== undefined) await Promise.race([ended, delay(CLOSE_MS)]);
  }

  /** Stops the batch in progress between two transactions; the rest is learned by a later one. */
  interrupt(): void {
    this.#running?.abort.abort();
  }

  async #byItself(): Promise<"done" | "more"> {
    const { logger, rounds } = this.#parts;
    if (this.#running !== undefined) return "done";
    try {
      const { stopped, learned } = await this.#run();
      return stopped === null && learned.trajectories === MAX_ROUNDS && rounds.waiting() > 0 ? "more" : "done";
    } catch (error) {
      logger.error({ err: error }, "learning batch failed; retrying later");
      return "done";
    }
  }

  async #run(): Promise<BatchOutcome> {
    const abort = new AbortController();
    const ended = learnBatch(this.#parts, AbortSignal.any([this.#stop.signal, abort.signal]));
    this.#running = { ended, abort };
    this.#schedule.batchStarted();
    try {
      const outcome = await ended;
      const { id, learned, stopped } = outcome;
      this.#parts.logger.info({ batch_id: id, ...learned, stopped: stopped?.kind }, "learning batch finished");
      return outcome;
    } finally {
      this.#running = undefined;
    }
  }

  /** Throws the error of a batch that stopped before it learned anything. */
  #assertNotStopped({ stopped }: BatchOutcome): void {
    switch (stopped?.kind) {
      case undefined:
        return;
      case "aborted":
        if (!this.#stop.signal.aborted) throw suspended();
        throw new EngineError("ENGINE_DRAINING", "the engine is stopping; learning continues at the next start");
      case "rate_limited": {
        const details = stopped.retryAfterS === null ? {} : { retry_after: stopped.retryAfterS };
        throw new EngineError("LLM_RATE_LIMITED", stopped.message, details);
      }
      case "over_budget":
        throw new EngineError("BUDGET_EXCEEDED", stopped.message, stopped.details);
      case "transient":
      case "too_long":
      case "permanent":
        throw new EngineError("LLM_PROVIDER_ERROR", stopped.message);
      default:
        stopped satisfies never;
    }
  }
}

const suspended = (): EngineError => new EngineError("POLICY_DENIED", "the product is suspended");
