import { CliFailure } from "./exit-codes.ts";

/** Node takes a longer one for none at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends a turn that takes too long: it is cancelled in the engine, then its reader is sent away. */
export class TurnDeadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(seconds: number | null, cancel: () => Promise<void>) {
    if (seconds === null) return;
    this.#timer = setTimeout(() => void this.#end(seconds, cancel), Math.min(seconds * 1000, LONGEST_TIMER_MS));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #end(seconds: number, cancel: () => Promise<void>): Promise<void> {
    // Made first: the cancelled turn's own last events must not be taken for the reason.
    const reason = new CliFailure("timeout", `the turn did not end within ${seconds} s; it is cancelled`, "TIMEOUT");
    const cancelled = cancel();
    this.#controller.abort(reason);
    await cancelled;
  }
}
