/** Waits so long and then runs; gives what calls it off. */
export type Timer = (ms: number, run: () => void) => () => void;

export const unrefTimer: Timer = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

export interface ScheduleParts {
  /** Runs a batch; whether there is more to learn at once. */
  readonly learn: () => Promise<"done" | "more">;
  /** How many turns wait to be learnt from. */
  readonly waiting: () => number;
  /** Whether turns run. */
  readonly isBusy: () => boolean;
  readonly timer?: Timer;
  readonly everyTurns?: number;
  readonly idleMs?: number;
}

/** When an engine learns by itself: after so many turns, or after a while in which nothing was asked of it. */
export class LearningSchedule {
  readonly #parts: Required<ScheduleParts>;
  #ended: number;
  #callOff: () => void = () => undefined;
  #over = false;

  constructor(parts: ScheduleParts) {
    this.#parts = { timer: unrefTimer, everyTurns: 20, idleMs: 30 * 60_000, ...parts };
    // What an engine before this one left.
    this.#ended = this.#parts.waiting();
    if (this.#ended > 0) this.#arm();
  }

  turnEnded(): void {
    this.#ended++;
    this.#arm();
    // What cannot be learnt then is tried again after as many turns, or when it is quiet.
    if (this.#ended >= this.#parts.everyTurns) this.#parts.timer(0, () => this.#run());
  }

  /** A batch begins: it reads what has ended until now. */
  begun(): void {
    this.#ended = 0;
  }

  close(): void {
    this.#over = true;
    this.#callOff();
  }

  #arm(): void {
    this.#callOff();
    if (this.#over) return;
    this.#callOff = this.#parts.timer(this.#parts.idleMs, () => {
      if (this.#parts.isBusy()) this.#arm();
      else this.#run();
    });
  }

  #run(): void {
    if (this.#over || this.#parts.waiting() === 0) return;
    void this.#learn();
  }

  async #learn(): Promise<void> {
    while (!this.#over && (await this.#parts.learn()) === "more");
    if (!this.#over && this.#parts.waiting() > 0) this.#arm();
  }
}
