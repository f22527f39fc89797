import { untilExit } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { BREAKER_RULE, type BreakerRule, isSharedFailure, trialDelayMs } from "../rules/shared-failure.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Db } from "../store/database.ts";
import type { EventLog } from "../store/events.ts";

/** Reported once each time the breaker opens or closes. */
export type BreakerTransition =
  | { readonly kind: "opened"; readonly failing: number; readonly wanted: number }
  | { readonly kind: "closed"; readonly openMs: number };

/**
 * A circuit breaker for restarts: when many engines fail at once, the cause is shared and restarts wait. While it is
 * open, single engines are tried with exponential back-off. The first healthy one closes it, and so does a window
 * without failures.
 */
export class FleetBreaker {
  readonly #rule: BreakerRule;
  readonly #report: (transition: BreakerTransition) => void;
  readonly #failures = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #openedAt: number | null = null;
  #closed = new AbortController();

  constructor(report: (transition: BreakerTransition) => void, rule: BreakerRule = BREAKER_RULE) {
    this.#report = report;
    this.#rule = rule;
  }

  get isOpen(): boolean {
    return this.#openedAt !== null;
  }

  /** Counts a wanted engine that exited or does not answer. `live` are the ids of the running engines. */
  recordFailure(engineId: string, live: ReadonlySet<string>): void {
    this.#failures.set(engineId, performance.now());
    const failing = this.#failing();
    const wanted = new Set([...live, ...failing]).size;
    if (this.isOpen || !isSharedFailure(failing.size, wanted, this.#rule)) return;
    this.#openedAt = performance.now();
    this.#closed = new AbortController();
    this.#report({ kind: "opened", failing: failing.size, wanted });
    untilExit("trials of the breaker", this.#runTrials(this.#closed.signal));
  }

  /** Counts a healthy boot, which closes the breaker. */
  recordHealthy(engineId: string): void {
    this.#failures.delete(engineId);
    this.#close();
  }

  /** Resolves when a restart may proceed: at once while the breaker is closed. False when the signal came first. */
  async waitForPermit(signal: AbortSignal): Promise<boolean> {
    if (!this.isOpen) return !signal.aborted;
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    signal.addEventListener("abort", () => turn.resolve(), { once: true });
    await turn.promise;
    return !signal.aborted;
  }

  #failing(): ReadonlySet<string> {
    const since = performance.now() - this.#rule.windowMs;
    for (const [id, at] of this.#failures) if (at < since) this.#failures.delete(id);
    return new Set(this.#failures.keys());
  }

  async #runTrials(closed: AbortSignal): Promise<void> {
    for (let trials = 0; await delay(trialDelayMs(trials, this.#rule), closed); trials++) {
      if (this.#failing().size === 0) this.#close();
      else this.#waiting.shift()?.();
    }
  }

  #close(): void {
    if (this.#openedAt === null) return;
    const openMs = Math.round(performance.now() - this.#openedAt);
    this.#openedAt = null;
    this.#failures.clear();
    this.#closed.abort();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const proceed of waiting) proceed();
    this.#report({ kind: "closed", openMs });
  }
}

/** Logs that restarts are paused or resumed, and writes the event. */
export function reportBreaker(
  { db, events, logger }: { readonly db: Db; readonly events: EventLog; readonly logger: Logger },
  transition: BreakerTransition,
): void {
  const { kind, ...data } = transition;
  logger.error(data, kind === "opened" ? "paused restarts: many engines fail at once" : "resumed restarts");
  const type = kind === "opened" ? ("host.breaker_opened" as const) : ("host.breaker_closed" as const);
  outsideRequests(() => events.insert(db, { type, data })).catch((error: unknown) =>
    logger.warn({ err: error }, "failed to write the breaker's event"),
  );
}
