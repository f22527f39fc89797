import type { EngineLaunch } from "../../contract/engine-launch.ts";
import type { EngineSockets } from "./engine-sockets.ts";
import type { LimitsReport } from "./limits-report.ts";
import type { SparePool } from "./spares/spare-pool.ts";

/**
 * Runs engines. The only implementation uses child processes. A backend knows no database and no HTTP server.
 * I3 identity before signal: it signals no process whose identity it cannot prove, and changes nothing it did not create.
 */
export interface EngineBackend {
  /** The boot id of the machine. Recorded processes with another boot id are gone. */
  readonly bootId: string;
  /** The listening sockets of the engines. */
  readonly sockets: EngineSockets;
  /** How the limits of engines hold on this host. */
  limitsReport(): LimitsReport;
  /** Why engines start slowly on this host, and what to do. Null when they start from snapshots. */
  startProblem(): string | null;
  /** Processes that wait for the next launches. */
  readonly spares: Pick<SparePool, "report" | "close">;
  /**
   * Spawns one engine, detached, with its output in the engine's log. Resolves when the process exists, before it is
   * healthy. Rejects with {@link LaunchFailed} after cleaning up when there is no process.
   */
  launch(order: LaunchOrder): Promise<EngineProcess>;
  /** Attaches to the recorded process of an earlier daemon. Null when it is gone or the pid belongs to another process. */
  attach(handle: ProcessHandle, incarnation: Incarnation): EngineProcess | null;
  /** Attaches to an unrecorded process of an incarnation, searched among all processes of the machine. */
  find(incarnation: Incarnation): EngineProcess | null;
  /**
   * For an incarnation whose exit this daemon did not observe: removes its launch file and kills its remaining child
   * processes. After an observed exit this happens by itself.
   */
  endOrphans(incarnation: Incarnation): Promise<StopOutcome>;
  /**
   * Lists running processes of incarnations of this daemon's run folder, except those of the known incarnations and of
   * their own users. They are not signalled; `endOrphans` kills them.
   */
  orphans(known: readonly Pick<Incarnation, "id" | "uid">[]): readonly Orphans[];
}

/** One life of an engine, as far as a later daemon needs it to find what is left of it. */
export interface Incarnation {
  readonly id: string;
  /** The engine's folder. */
  readonly folder: string;
  /** The user that its processes run as. Null for the daemon's own. */
  readonly uid: number | null;
}

export interface Orphans {
  readonly incarnation: string;
  readonly pids: readonly number[];
}

export interface LaunchOrder {
  readonly launch: EngineLaunch;
  readonly memoryMb: number;
  /** The user and group that the engine runs as. Null for the daemon's own. */
  readonly uid: number | null;
  /** The engine's share of the CPU when it is scarce, as `cpu.weight` of cgroup v2. */
  readonly cpuWeight: number;
}

/** Together these identify a process. Pids alone are reused. */
export interface ProcessHandle {
  readonly pid: number;
  /** The content of `/proc/sys/kernel/random/boot_id`. */
  readonly bootId: string;
  /** Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. */
  readonly startTime: string;
}

export interface EngineProcess {
  readonly handle: ProcessHandle;
  /** Resolves when the process has exited and never rejects. Code and signal are null for an adopted process. */
  readonly exited: Promise<EngineExit>;
  /** Sends SIGTERM and after `termMs` SIGKILL to the whole tree. Resolves when the tree is empty or with the survivors. */
  stop(termMs: number): Promise<StopOutcome>;
  /** Removes the file with the engine's secrets. Call it once the engine is healthy. An exit removes it too. */
  discardLaunchFile(): void;
}

/** How a process exited. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EngineExit extends ProcessExit {
  /** Killed by the kernel's OOM killer. An exhausted V8 heap aborts instead and is logged. */
  readonly oom: boolean;
}

export type StopOutcome =
  | { readonly kind: "exited" }
  | { readonly kind: "killed" }
  | { readonly kind: "survived"; readonly pids: readonly number[] };
