import type { HostStatus } from "./host.ts";

type SparesStatus = HostStatus["spares"];

export interface SparesReport extends SparesStatus {
  /** Launches since the daemon's start. */
  readonly claims: Readonly<Record<ClaimOutcome, number>>;
}

/**
 * `claimed`: a spare became the engine. `none_left`: none was ready. `unfit`: no spare can become this engine, or the one
 * that was taken had ended.
 */
export const CLAIM_OUTCOMES = ["claimed", "none_left", "unfit"] as const;
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];
