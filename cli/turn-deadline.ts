import { inBackground } from "../src/shared/background.ts";
import { MAX_TIMER_MS } from "../src/client/timeouts.ts";
import { CliFailure } from "./exit-codes.ts";

/** Cancels a turn in the engine after its time limit, and aborts its reader. */
export class TurnDeadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(seconds: number | null, cancel: () => Promise<void>, context: string) {
    if (seconds === null) return;
    const message = `the turn did not end within ${seconds} s; it is cancelled (TIMEOUT, ${context})`;
    this.#timer = setTimeout(
      () => inBackground("end of a late turn", this.#end(message, cancel)),
      Math.min(seconds * 1000, MAX_TIMER_MS),
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #end(message: string, cancel: () => Promise<void>): Promise<void> {
    // Created first, so that the deadline and not the turn's last event is the reason.
    const reason = new CliFailure("timeout", message, "TIMEOUT");
    const cancelled = cancel();
    this.#controller.abort(reason);
    await cancelled;
  }
}
