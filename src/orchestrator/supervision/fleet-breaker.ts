import { delay } from "../../shared/clock.ts";
import { BREAKER_RULE, type BreakerRule, isSharedFailure, trialDelayMs } from "../rules/shared-failure.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Db } from "../store/database.ts";
import type { EventLog } from "../store/events.ts";

/** What the breaker tells once each time it opens or closes. */
export type BreakerTransition =
  | { readonly kind: "opened"; readonly failing: number; readonly wanted: number }
  | { readonly kind: "closed"; readonly openMs: number };

/**
 * When many engines fail at once the cause is not in them: restarts wait, so that they do not make it worse. While it
 * is open one engine is tried now and then; the first that comes up closes it, and so does a calm minute.
 */
export class FleetBreaker {
  readonly #rule: BreakerRule;
  readonly #tell: (news: BreakerTransition) => void;
  readonly #failures = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #openedAt: number | null = null;
  #calledOff = new AbortController();

  constructor(tell: (news: BreakerTransition) => void, rule: BreakerRule = BREAKER_RULE) {
    this.#tell = tell;
    this.#rule = rule;
  }

  get isOpen(): boolean {
    return this.#openedAt !== null;
  }

  /** An engine that was wanted ended or does not answer; `live` are the engines that run. */
  noteFailure(engineId: string, live: ReadonlySet<string>): void {
    this.#failures.set(engineId, performance.now());
    const failing = this.#failing();
    const wanted = new Set([...live, ...failing]).size;
    if (this.isOpen || !isSharedFailure(failing.size, wanted, this.#rule)) return;
    this.#openedAt = performance.now();
    this.#calledOff = new AbortController();
    this.#tell({ kind: "opened", failing: failing.size, wanted });
    void this.#tryNowAndThen(this.#calledOff.signal);
  }

  /** An engine came up: whatever was wrong with the host is over. */
  recordHealthy(engineId: string): void {
    this.#failures.delete(engineId);
    this.#close();
  }

  /** Resolves when a restart may go on: at once while the breaker is closed. False when the signal came first. */
  async pass(signal: AbortSignal): Promise<boolean> {
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

  async #tryNowAndThen(closed: AbortSignal): Promise<void> {
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
    this.#calledOff.abort();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
    this.#tell({ kind: "closed", openMs });
  }
}

/** Tells operators that restarts pause, or go on. */
export function reportBreaker(
  { db, events, logger }: { readonly db: Db; readonly events: EventLog; readonly logger: Logger },
  news: BreakerTransition,
): void {
  const { kind, ...data } = news;
  logger.error(data, kind === "opened" ? "many engines fail at once: restarts pause" : "restarts go on");
  const type = kind === "opened" ? ("host.breaker_opened" as const) : ("host.breaker_closed" as const);
  outsideRequests(() => events.insert(db, { type, data })).catch((error: unknown) =>
    logger.warn({ err: error }, "the breaker's event could not be written"),
  );
}
