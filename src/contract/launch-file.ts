/** The environment variable with the path of an engine's launch file. */
export const LAUNCH_FILE_VARIABLE = "ORCH_LAUNCH_FILE";

/** Which parts of the isolation the daemon promised. A promised part that cannot be applied ends the engine's boot. */
export interface EngineIsolation {
  /** Landlock for the engine's process. */
  readonly engine: boolean;
  /** Landlock and seccomp for its commands and tool servers. */
  readonly tools: boolean;
  /** Further files and folders that tools may read: `ORCH_TOOL_READ_PATHS`. */
  readonly read: readonly string[];
}

/** `ORCH_ISOLATION=off`, and a launch file of a daemon that knows no isolation. */
export const NOT_ISOLATED: EngineIsolation = { engine: false, tools: false, read: [] };
