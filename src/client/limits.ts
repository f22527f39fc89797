/** How long and how often a client tries. An abort of the caller's signal ends every wait at once. */
export interface ClientLimits {
  /** How often a temporarily refused call is retried. */
  readonly retries: number;
  /** The wait before the first retry, doubled for each next one, plus a random part of at most one second. */
  readonly backoffMs: number;
  /** If the service asks for a longer wait, its error is thrown at once. */
  readonly longestWaitMs: number;
  /** Whether `TASK_BUSY` is retried. */
  readonly retryBusy: boolean;
  /** The time limit of one call. */
  readonly deadlineMs: number;
  /** The time limit of calls that wait for an engine to start or stop; longer than the daemon's own by default. */
  readonly engineDeadlineMs: number;
  /** A stream without data for this long counts as lost: three heartbeats. */
  readonly silenceMs: number;
  /** The waits before each try to reopen a lost stream. After the last one the stream fails. A new event resets them. */
  readonly reconnectMs: readonly number[];
}

export const DEFAULT_LIMITS: ClientLimits = {
  // 1, 2, 4, 8 and 16 seconds: about thirty in all.
  retries: 5,
  backoffMs: 1000,
  longestWaitMs: 300_000,
  retryBusy: true,
  deadlineMs: 30_000,
  engineDeadlineMs: 10 * 60_000,
  silenceMs: 45_000,
  // About a minute: a crashed engine has restarted by then.
  reconnectMs: [200, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000],
};

/** The orchestrator's streams are reopened for five minutes: long enough for an upgrade of the daemon. */
export const HOST_LIMITS: ClientLimits = {
  ...DEFAULT_LIMITS,
  reconnectMs: [...DEFAULT_LIMITS.reconnectMs, ...Array<number>(30).fill(8000)],
};
