export interface BreakerRule {
  readonly windowMs: number;
  /** Of the engines that are wanted. */
  readonly share: number;
  readonly least: number;
  /** While it is open one engine is tried after this time, then after twice as long, and so on. */
  readonly firstTrialMs: number;
  readonly maxTrialMs: number;
}

export const BREAKER_RULE: BreakerRule = {
  windowMs: 60_000,
  share: 0.3,
  least: 5,
  firstTrialMs: 5000,
  maxTrialMs: 60_000,
};

/** Whether so many engines fail within the window that the cause must be a shared one. */
export const isSharedFailure = (failing: number, wanted: number, rule: BreakerRule = BREAKER_RULE): boolean =>
  failing >= rule.least && failing > wanted * rule.share;

/** How long after the last trial the next engine is tried; `trials` have failed so far. */
export const trialDelayMs = (trials: number, rule: BreakerRule = BREAKER_RULE): number =>
  Math.min(rule.firstTrialMs * 2 ** trials, rule.maxTrialMs);
