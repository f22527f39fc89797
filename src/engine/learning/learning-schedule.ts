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
  readonly timer?: Timer;
  readonly everyTurns?: number;
  readonly idleMs?: number;
}

/** Starts learning batches: after a number of turns, or after an idle time. */
export class LearningSchedule {
  readonly #parts: Required<ScheduleParts>;
  #ended: number;
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(parts: ScheduleParts) {
    this.#parts = { timer: unrefTimer, everyTurns: 20, idleMs: 30 * 60_000, ...parts };
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
    return !this.#closed && this.#ended > 0 && this.#parts.waiting() > 0;
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
    this.#cancelTimer = this.#parts.timer(this.#parts.idleMs, () => {
      if (this.#parts.isBusy()) this.#arm();
      else this.#run();
    });
  }

  #run(): void {
    if (this.#closed || this.#parts.waiting() === 0) return;
    void this.#learn();
  }

  async #learn(): Promise<void> {
    while (!this.#closed && (await this.#parts.learn()) === "more");
    if (!this.#closed && this.#parts.waiting() > 0) this.#arm();
  }
}
