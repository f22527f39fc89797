import { inBackground } from "../../shared/background.ts";

/** Runs a function after a delay. Returns the function that cancels it. */
export type Timer = (ms: number, run: () => void) => () => void;

const unrefTimer: Timer = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

export interface ScheduleParts {
  /** Runs a batch; "more" when another should follow at once. */
  readonly learn: () => Promise<"done" | "more">;
  /** Number of turns not learned yet. */
  readonly waiting: () => number;
  /** Whether a turn is running. */
  readonly isBusy: () => boolean;
  /** False while the product is suspended. */
  readonly isAllowed: () => boolean;
  readonly timer?: Timer;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly everyTurns?: number;
  readonly idleMs?: number;
}

/** Starts learning batches: after a number of turns, or after an idle time. */
export class LearningSchedule {
  readonly #parts: Required<ScheduleParts>;
  #ended: number;
  #cancelTimer: () => void = () => undefined;
  /** When the idle time is over; null without a timer. */
  #dueAt: number | null = null;
  #closed = false;

  constructor(parts: ScheduleParts) {
    const now = () => performance.now();
    this.#parts = { timer: unrefTimer, now, everyTurns: 20, idleMs: 30 * 60_000, ...parts };
    // Turns left by an earlier process.
    this.#ended = this.#parts.waiting();
    if (this.#ended > 0) this.#arm();
  }

  turnEnded(): void {
    this.#ended++;
    this.#arm();
    // A failed batch is retried after as many turns again, or when idle.
    if (this.#ended >= this.#parts.everyTurns) this.#parts.timer(0, () => this.#run());
  }

  /** Turns ended since the last batch started, so that a batch that fails is not due again. */
  get isDue(): boolean {
    return !this.#closed && this.#ended > 0 && this.#parts.isAllowed() && this.#parts.waiting() > 0;
  }

  /** Milliseconds until the next batch, if no turn follows before. Null when there is nothing to learn. */
  get dueInMs(): number | null {
    if (this.#dueAt === null || !this.#parts.isAllowed() || this.#parts.waiting() === 0) return null;
    return Math.max(0, this.#dueAt - this.#parts.now());
  }

  runDue(): void {
    if (this.isDue) this.#run();
  }

  /** To be called when a batch starts: it covers all turns ended so far. */
  batchStarted(): void {
    this.#ended = 0;
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  #arm(): void {
    this.#cancelTimer();
    if (this.#closed) return;
    const { timer, now, idleMs, isBusy, isAllowed } = this.#parts;
    this.#dueAt = now() + idleMs;
    this.#cancelTimer = timer(idleMs, () => {
      this.#dueAt = null;
      if (isBusy() || !isAllowed()) this.#arm();
      else this.#run();
    });
  }

  #run(): void {
    if (this.#closed || !this.#parts.isAllowed() || this.#parts.waiting() === 0) return;
    inBackground("learning batch", this.#learn());
  }

  async #learn(): Promise<void> {
    while (!this.#closed && this.#parts.isAllowed() && (await this.#parts.learn()) === "more");
    if (!this.#closed && this.#parts.waiting() > 0) this.#arm();
  }
}
