/** When failures of many engines count as one shared cause, and how restarts are tried meanwhile. */
export interface BreakerRule {
  readonly windowMs: number;
  /** The share of wanted engines that must fail. */
  readonly share: number;
  /** The number of engines that must fail. */
  readonly least: number;
  /** While the breaker is open, one engine is tried after this delay, which then doubles up to `maxTrialMs`. */
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

/** Whether enough engines fail within the window that the cause must be shared. */
export const isSharedFailure = (failing: number, wanted: number, rule: BreakerRule = BREAKER_RULE): boolean =>
  failing >= rule.least && failing > wanted * rule.share;

/** The delay before the next trial, after `trials` failed ones. */
export const trialDelayMs = (trials: number, rule: BreakerRule = BREAKER_RULE): number =>
  Math.min(rule.firstTrialMs * 2 ** trials, rule.maxTrialMs);
