/** How long and how often a client tries. All waits end at once when the caller's signal is aborted. */
export interface ClientLimits {
  /** How often a call that was refused for now is tried again. */
  readonly retries: number;
  /** The first wait before another try, doubled for each; up to as much again is added by chance, at most a second. */
  readonly backoffMs: number;
  /** A service that asks for a longer wait is not waited for: its refusal is thrown at once. */
  readonly longestWaitMs: number;
  /** Whether a task whose turn is running is waited for as well. */
  readonly retryBusy: boolean;
  /** Until a call is answered; for calls that wait for an engine, see their own. */
  readonly deadlineMs: number;
  /** A stream on which nothing comes for so long is dead: three heartbeats. */
  readonly silenceMs: number;
  /** The waits before a lost stream is tried again; after the last one it is given up. What comes through starts them anew. */
  readonly reconnectMs: readonly number[];
}

export const DEFAULT_LIMITS: ClientLimits = {
  // 1, 2, 4, 8 and 16 seconds: about thirty in all.
  retries: 5,
  backoffMs: 1000,
  longestWaitMs: 300_000,
  retryBusy: true,
  deadlineMs: 30_000,
  silenceMs: 45_000,
  // About a minute: an engine that crashed is back by then.
  reconnectMs: [200, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000],
};
