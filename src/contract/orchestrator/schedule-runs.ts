/** What happens to missed due times. */
export const MISSED_POLICIES = ["skip", "run_once", "run_all"] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

export const RUN_STATES = ["waiting", "running", "waiting_for_human", "done", "failed", "missed", "refused"] as const;
export type RunState = (typeof RUN_STATES)[number];
/** The other states are final. */
export const OPEN_RUN_STATES = ["waiting", "running", "waiting_for_human"] as const satisfies readonly RunState[];
export type OpenRunState = (typeof OPEN_RUN_STATES)[number];
export type EndedRunState = Exclude<RunState, OpenRunState>;

/** Ended runs that are kept of each schedule and webhook. */
export const KEPT_RUNS = 50;
