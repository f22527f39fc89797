import type { Logger } from "../../../../shared/logger.ts";

/** Consecutive failures that stop the refill. */
const MAX_FAILURES = 3;
/** The retry interval of a stopped refill. */
const RETRY_MS = 60_000;
/** The wait after a spare that failed or ended by itself, so that such spares do not take the processor. */
const AFTER_FAILURE_MS = 250;

/** How long the refill of spares waits, because starts fail. */
export class RefillFailures {
  readonly #logger: Logger;
  readonly #retryMs: number;
  #pauseMs = 0;
  #count = 0;
  #problem: string | null = null;

  constructor(logger: Logger, retryMs = RETRY_MS) {
    this.#logger = logger;
    this.#retryMs = retryMs;
  }

  /** Why the refill is stopped, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether the last start failed. */
  get isFailing(): boolean {
    return this.#count > 0;
  }

  get waitMs(): number {
    return this.#problem === null ? this.#pauseMs : this.#retryMs;
  }

  started(): void {
    if (this.#problem !== null) this.#logger.info("resumed starting spare engines");
    this.#count = 0;
    this.#pauseMs = 0;
    this.#problem = null;
  }

  /** A spare ended by itself while it waited. */
  exited(pid: number): void {
    this.#logger.warn({ pid }, "removed a spare engine that exited");
    this.#pauseMs = AFTER_FAILURE_MS;
  }

  failed(error: unknown): void {
    this.#count++;
    this.#pauseMs = AFTER_FAILURE_MS;
    this.#logger.warn({ err: error, failures: this.#count }, "failed to start a spare engine");
    if (this.#count < MAX_FAILURES || this.#problem !== null) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#problem = `no spare engines (ORCH_WARM_ENGINES): ${MAX_FAILURES} failed in a row, the last one: ${reason}`;
    const fields = { reason, retry_s: this.#retryMs / 1000 };
    this.#logger.error(fields, "stopped starting spare engines: too many failed in a row");
  }
}
