export interface SparesReport {
  /** `ORCH_WARM_ENGINES`. */
  readonly target: number;
  /** Spares that can be claimed now. */
  readonly ready: number;
  /** Why the refill is stopped, or null. */
  readonly problem: string | null;
  /** Launches since the daemon's start. */
  readonly claims: Readonly<Record<ClaimOutcome, number>>;
}

/**
 * `claimed`: a spare became the engine. `none_left`: none was ready. `unfit`: no spare can become this engine, or the one
 * that was taken had ended.
 */
export const CLAIM_OUTCOMES = ["claimed", "none_left", "unfit"] as const;
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];
