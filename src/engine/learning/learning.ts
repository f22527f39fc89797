import type { LearningBatch } from "../../contract/engine-records.ts";
import { delay } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import { EngineError } from "../engine-error.ts";
import { type BatchOutcome, type BatchParts, type MayAsk, MOST_ROUNDS, learnBatch } from "./learn-batch.ts";
import { LearningSchedule, type ScheduleParts } from "./learning-schedule.ts";

/** So long a batch waits for the provider's limit to open, before it leaves the rest to the next. */
const LONGEST_PAUSE_MS = 60_000;

export interface LearningParts extends Omit<BatchParts, "mayAsk"> {
  /** For how long no call should be made. */
  readonly closedForMs: () => number;
  readonly isBusy: ScheduleParts["isBusy"];
  readonly schedule?: Pick<ScheduleParts, "timer" | "everyTurns" | "idleMs">;
  readonly longestPauseMs?: number;
  readonly logger: Logger;
}

/** Learns from turns that are over: when it is asked to, and by itself; one batch at a time. */
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

  /** Runs one batch. Refused while one runs. */
  async trigger(): Promise<LearningBatch> {
    if (this.#stop.signal.aborted) throw new EngineError("ENGINE_DRAINING", "the engine stops and learns nothing more");
    if (this.#running !== undefined) throw new EngineError("LC_RUNNING", "a learning batch is running");
    const startedAt = performance.now();
    const outcome = await this.#run();
    const { id, learnt, skillsDrafted } = outcome;
    if (learnt.trajectories === 0) refuse(outcome);
    return {
      batch_id: id,
      trajectories: learnt.trajectories,
      episodes: learnt.episodes,
      knowledge_added: learnt.added,
      knowledge_closed: learnt.closed,
      nodes: learnt.nodes,
      skills_drafted: skillsDrafted,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  turnEnded(): void {
    this.#schedule.turnEnded();
  }

  /** Ends between two transactions; what was not learnt stays for the next start. */
  async close(): Promise<void> {
    this.#schedule.close();
    this.#stop.abort();
    await this.#running?.catch(() => undefined);
  }

  async #byItself(): Promise<"done" | "more"> {
    const { logger, rounds } = this.#parts;
    if (this.#running !== undefined) return "done";
    try {
      const { stopped, learnt } = await this.#run();
      return stopped === null && learnt.trajectories === MOST_ROUNDS && rounds.waiting() > 0 ? "more" : "done";
    } catch (error) {
      logger.error({ err: error }, "learning failed; it is tried again later");
      return "done";
    }
  }

  async #run(): Promise<BatchOutcome> {
    const batch = learnBatch({ ...this.#parts, mayAsk: (signal) => this.#mayAsk(signal) }, this.#stop.signal);
    this.#running = batch;
    this.#schedule.begun();
    try {
      const outcome = await batch;
      const { id, learnt, stopped } = outcome;
      this.#parts.logger.info({ batch_id: id, ...learnt, stopped: stopped?.kind }, "learning batch over");
      return outcome;
    } finally {
      this.#running = undefined;
    }
  }

  async #mayAsk(signal: AbortSignal): Promise<MayAsk> {
    const { closedForMs, longestPauseMs = LONGEST_PAUSE_MS } = this.#parts;
    for (let left = longestPauseMs; ;) {
      const closedMs = closedForMs();
      if (closedMs === 0) return { kind: "yes" };
      if (closedMs > left || !(await delay(closedMs, signal))) return { kind: "limit_closed", forMs: closedMs };
      left -= closedMs;
    }
  }
}

/** Nothing was learnt, because the model could not be asked: that is no batch. */
function refuse({ stopped }: BatchOutcome): void {
  switch (stopped?.kind) {
    case undefined:
      return;
    case "aborted":
      throw new EngineError("ENGINE_DRAINING", "the engine stops and learns nothing more");
    case "limit_closed":
      throw new EngineError("LLM_RATE_LIMITED", "the model's limit is reached; what there is to learn waits", {
        retry_after: Math.ceil(stopped.forMs / 1000),
      });
    case "rate_limited": {
      const details = stopped.retryAfterS === null ? {} : { retry_after: stopped.retryAfterS };
      throw new EngineError("LLM_RATE_LIMITED", stopped.message, details);
    }
    case "transient":
    case "too_long":
    case "permanent":
      throw new EngineError("LLM_PROVIDER_ERROR", stopped.message);
    default:
      stopped satisfies never;
  }
}
