import type { EngineLaunch } from "../../contract/engine-launch.ts";

/**
 * The seam to whatever runs engines: plain child processes today. A backend knows no database and no HTTP server.
 * It never signals a process whose identity it cannot prove, and never touches what it did not make.
 */
export interface EngineBackend {
  /** Of this boot of the machine: processes of another one are gone, whatever was written down of them. */
  readonly bootId: string;
  /**
   * Starts one engine, detached, with its output in the engine's log; resolves as soon as the process exists,
   * long before it is healthy. Rejects with {@link LaunchFailed} when there is no process, leaving nothing behind.
   */
  launch(order: LaunchOrder): Promise<EngineProcess>;
  /** Finds an engine of an earlier daemon again; `null` when the recorded process is gone or is another one. */
  attach(handle: ProcessHandle, incarnation: string): EngineProcess | null;
  /** The same for a life whose process was never written down: looked for among all processes of the machine. */
  find(incarnation: string): EngineProcess | null;
  /**
   * For a life whose process is gone without this daemon having seen it: removes its launch file and kills what
   * still provably stems from it. What a watched process leaves is cleared without being asked.
   */
  endOrphans(incarnation: string): Promise<StopOutcome>;
  /**
   * Living processes that provably stem from lives of engines of this daemon's run folder, except those of the lives
   * given. Only looks: whoever wants them gone calls `endOrphans`.
   */
  orphans(known: ReadonlySet<string>): readonly Orphans[];
}

export interface Orphans {
  readonly incarnation: string;
  readonly pids: readonly number[];
}

export interface LaunchOrder {
  readonly launch: EngineLaunch;
  readonly memoryMb: number;
}

/** What proves, together, that a process is the one that was started: pids alone are used again. */
export interface ProcessHandle {
  readonly pid: number;
  /** Of `/proc/sys/kernel/random/boot_id`. */
  readonly bootId: string;
  /** Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. */
  readonly startTime: string;
}

export interface EngineProcess {
  readonly handle: ProcessHandle;
  /** Resolves once, when the process is gone, and never rejects. Code and signal are null when it was not our own child. */
  readonly exited: Promise<EngineExit>;
  /** TERM, then after `termMs` KILL, of the whole tree; resolves when the tree is empty, or says who would not die. */
  stop(termMs: number): Promise<StopOutcome>;
  /** Removes the file with the engine's secrets: called once the engine is healthy, so has read it. An exit does so by itself. */
  discardLaunchFile(): void;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EngineExit extends ProcessEnd {
  /** The kernel killed it for memory. An engine that filled its own heap aborts instead, and says so in its log. */
  readonly oom: boolean;
}

export type StopOutcome =
  | { readonly kind: "exited" }
  | { readonly kind: "killed" }
  | { readonly kind: "survived"; readonly pids: readonly number[] };

/** Its message may be read by clients: paths of this machine are in its `cause` only. */
export class LaunchFailed extends Error {
  override readonly name = "LaunchFailed";
}

/** Another program listens on the engine's port: a start on another port may succeed. */
export class PortTaken extends LaunchFailed {}
