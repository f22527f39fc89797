import { exitCause } from "../../contract/engine/exit.ts";

interface RestartRule {
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** An engine that was healthy this long restarts without delay. */
  readonly stableAfterMs: number;
  /** After this much healthy time the restart history is reset. */
  readonly resetAfterMs: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export const RESTART_RULE: RestartRule = {
  maxRestarts: 5,
  windowMs: 600_000,
  stableAfterMs: 10_000,
  resetAfterMs: 600_000,
  firstDelayMs: 1000,
  maxDelayMs: 60_000,
};

/** Stored in the database, so that a restart of the daemon does not reset the budget. */
interface RestartHistory {
  readonly count: number;
  /** The time of the first counted restart, in milliseconds since the epoch. */
  readonly windowStartedAt: number | null;
}

export type RestartVerdict =
  | { readonly kind: "restart"; readonly delayMs: number; readonly history: RestartHistory; readonly reason: string }
  | { readonly kind: "give_up"; readonly history: RestartHistory; readonly reason: string };

/** Decides after an unexpected exit: restart the engine with which delay, or give up. `random` is 0 to 1. */
export function judgeExit({
  exitCode,
  healthyForMs,
  history,
  now,
  random,
  rule = RESTART_RULE,
}: {
  readonly exitCode: number | null;
  readonly healthyForMs: number;
  readonly history: RestartHistory;
  readonly now: number;
  readonly random: number;
  readonly rule?: RestartRule;
}): RestartVerdict {
  const cause = exitCause(exitCode);
  if (cause?.restart === "never") {
    return { kind: "give_up", history, reason: "a restart does not help" };
  }
  const started = history.windowStartedAt;
  const fresh = started === null || now - started >= rule.windowMs || healthyForMs >= rule.resetAfterMs;
  const count = fresh ? 1 : history.count + 1;
  const next: RestartHistory = { count, windowStartedAt: fresh ? now : started };
  if (count > rule.maxRestarts) {
    const minutes = Math.round(rule.windowMs / 60_000);
    return { kind: "give_up", history: next, reason: `${rule.maxRestarts} restarts in ${minutes} minutes` };
  }
  if (healthyForMs >= rule.stableAfterMs) {
    return { kind: "restart", delayMs: 0, history: next, reason: "it had been healthy" };
  }
  const delay = Math.min(rule.firstDelayMs * 2 ** (count - 1), rule.maxDelayMs);
  return {
    kind: "restart",
    delayMs: Math.round(delay * (1 + random / 4)),
    history: next,
    reason: `restart ${count} of ${rule.maxRestarts}`,
  };
}
