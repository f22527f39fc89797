/** The environment variable with the path of an engine's launch file. */
export const LAUNCH_FILE_VARIABLE = "ORCH_LAUNCH_FILE";

/** The parts of the isolation that the daemon requires. The boot fails if a part cannot be applied. */
export interface EngineIsolation {
  /** Landlock for the engine's process. */
  readonly engine: boolean;
  /** Landlock and seccomp for its commands and tool servers. */
  readonly tools: boolean;
  /** Further files and folders that tools may read: `ORCH_TOOL_READ_PATHS`. */
  readonly read: readonly string[];
}

/** For `ORCH_ISOLATION=off`, containers, and launch files of daemons without isolation. */
export const NOT_ISOLATED: EngineIsolation = { engine: false, tools: false, read: [] };
