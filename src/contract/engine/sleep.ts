/** Why an engine was put to sleep. `capacity`: another engine needed its awake slot. */
export const SLEEP_REASONS = ["idle", "request", "capacity"] as const;
export type SleepReason = (typeof SLEEP_REASONS)[number];

/** What woke an engine. `call`: a connection to its address. */
export const WAKE_REASONS = ["call", "start", "admit", "lookup", "schedule", "learning"] as const;
export type WakeReason = (typeof WAKE_REASONS)[number];

/**
 * What keeps an engine awake. `turn`: one that does not wait for a person. `inbox`: a message
 * waits whose turn could not be stored. `stream`: an open event stream, unless it
 * follows no single turn and has nothing to read. `request`: a
 * call, or a connection on which one begins. `learning`: a learning batch runs. `tool_call`: a tool or a tool
 * server works. `recent_work`: the last work ended too recently.
 */
export const AWAKE_REASONS = ["turn", "inbox", "stream", "request", "learning", "tool_call", "recent_work"] as const;
export type AwakeReason = (typeof AWAKE_REASONS)[number];

/** The comment line that ends a stream whose engine sleeps, with the `seq` of the last event before. */
export const sleepingComment = (afterSeq: number): string => `: sleeping ${afterSeq}\n\n`;
export const SLEEPING_COMMENT = /(?:^|\n\n): sleeping (\d{1,15})\n\n$/;
