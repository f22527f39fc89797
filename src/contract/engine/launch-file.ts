/** The environment variable with the path of an engine's launch file. */
export const LAUNCH_FILE_VARIABLE = "ORCH_LAUNCH_FILE";

/** The parts of the isolation that the daemon requires. The boot fails if a part cannot be applied. */
export interface EngineIsolation {
  /** Landlock for the engine's process. */
  readonly engine: boolean;
  /** Landlock and seccomp for its commands and tool servers. */
  readonly tools: boolean;
  /**
   * The engine carries out `connect`, `bind` and `listen` of its tools. Otherwise the kernel keeps ports, not hosts:
   * `tool_network` is then kept by port only.
   */
  readonly sockets: boolean;
  /** An engine does not start whose `tool_network` could be kept by port only. */
  readonly required: boolean;
  /** Further files and folders that tools may read: `ORCH_TOOL_READ_PATHS`. */
  readonly read: readonly string[];
}

/** For `ORCH_ISOLATION=off`, containers, and launch files of daemons without isolation. */
export const NOT_ISOLATED: EngineIsolation = {
  engine: false,
  tools: false,
  sockets: false,
  required: false,
  read: [],
};
