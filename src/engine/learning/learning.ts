import type { LearningBatch } from "../../contract/engine-records.ts";
import type { Logger } from "../../shared/logger.ts";
import { EngineError } from "../engine-error.ts";
import { type BatchOutcome, type BatchParts, MAX_ROUNDS, learnBatch } from "./learn-batch.ts";
import { LearningSchedule, type ScheduleParts } from "./learning-schedule.ts";

export interface LearningParts extends BatchParts {
  readonly isBusy: ScheduleParts["isBusy"];
  readonly schedule?: Pick<ScheduleParts, "timer" | "everyTurns" | "idleMs">;
  readonly logger: Logger;
}

/** Learns from ended turns, on request and on schedule, one batch at a time. */
export class Learning {
  readonly #parts: LearningParts;
  readonly #schedule: LearningSchedule;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(parts: LearningParts) {
    this.#parts = parts;
    this.#schedule = new LearningSchedule({
      ...parts.schedule,
      learn: () => this.#byItself(),
      waiting: () => parts.rounds.waiting(),
      isBusy: parts.isBusy,
    });
  }

  /** Runs one batch. Throws `LC_RUNNING`, `ENGINE_DRAINING`, `LLM_RATE_LIMITED` and `LLM_PROVIDER_ERROR`. */
  async trigger(): Promise<LearningBatch> {
    if (this.#stop.signal.aborted)
      throw new EngineError("ENGINE_DRAINING", "the engine is stopping; learning continues at the next start");
    if (this.#running !== undefined) throw new EngineError("LC_RUNNING", "a learning batch is running");
    const startedAt = performance.now();
    const outcome = await this.#run();
    const { id, learned, skillsDrafted } = outcome;
    if (learned.trajectories === 0) assertNotStopped(outcome);
    return {
      batch_id: id,
      trajectories: learned.trajectories,
      episodes: learned.episodes,
      knowledge_added: learned.added,
      knowledge_closed: learned.closed,
      nodes: learned.nodes,
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

  /** Starts a batch that is due. */
  runDue(): void {
    this.#schedule.runDue();
  }

  turnEnded(): void {
    this.#schedule.turnEnded();
  }

  /** Stops between two transactions; the rest is learned after the next start. */
  async close(): Promise<void> {
    this.#schedule.close();
    this.#stop.abort();
    await this.#running?.catch(() => undefined);
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
    const batch = learnBatch(this.#parts, this.#stop.signal);
    this.#running = batch;
    this.#schedule.batchStarted();
    try {
      const outcome = await batch;
      const { id, learned, stopped } = outcome;
      this.#parts.logger.info({ batch_id: id, ...learned, stopped: stopped?.kind }, "learning batch finished");
      return outcome;
    } finally {
      this.#running = undefined;
    }
  }
}

/** Throws the error of a batch that stopped before it learned anything. */
function assertNotStopped({ stopped }: BatchOutcome): void {
  switch (stopped?.kind) {
    case undefined:
      return;
    case "aborted":
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
