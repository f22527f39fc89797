/**
 * The exit codes of an engine, one per cause, which the daemon reads. They follow `sysexits.h` where it has the cause.
 * Any other code is a crash. `restart`: `another_port` at once, `back_off` as after a crash, or `never`, because only an
 * operator can remove the cause.
 */
export const ENGINE_EXITS = {
  port_taken: { code: 69, cause: "another program listens on its port", restart: "another_port" },
  store_locked: { code: 71, cause: "another process has locked its store", restart: "back_off" },
  isolation_failed: { code: 72, cause: "it cannot be isolated from others on this host", restart: "never" },
  disk_full: { code: 73, cause: "no space is left for its store", restart: "back_off" },
  store_unreadable: { code: 74, cause: "its store cannot be read or written", restart: "back_off" },
  store_damaged: { code: 75, cause: "its store is damaged; the next start sets it aside", restart: "back_off" },
  store_newer: { code: 76, cause: "a newer version of the engine wrote its store", restart: "never" },
  permission_denied: { code: 77, cause: "it may not read or write one of its files", restart: "never" },
  slept: { code: 79, cause: "it went to sleep", restart: "back_off" },
  configuration: { code: 78, cause: "its settings are invalid", restart: "never" },
} as const satisfies Record<string, EngineExitRow>;

interface EngineExitRow {
  readonly code: number;
  readonly cause: string;
  readonly restart: "another_port" | "back_off" | "never";
}

export type EngineExitName = keyof typeof ENGINE_EXITS;

/** The prefix of the log line with the reason of a failed start. Indented lines may follow. */
export const CANNOT_START = "the engine cannot start:";
/** The same for a later exit. */
export const ENDS = "the engine ends:";

export const isExit = (code: number | null, name: EngineExitName): boolean => code === ENGINE_EXITS[name].code;

/** Null for the exit code of a crash. */
export function exitCause(code: number | null): EngineExitRow | null {
  return Object.values<EngineExitRow>(ENGINE_EXITS).find((row) => row.code === code) ?? null;
}
