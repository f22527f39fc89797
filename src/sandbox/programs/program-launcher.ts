import type { Readable, Writable } from "node:stream";
import { getSystemErrorName } from "node:util";
import { hasCode } from "../system/error-code.ts";
import { SystemCallFailed } from "../system/system-calls.ts";
import { type ProcessIdentity, readIdentity, sendSignal } from "../processes/process-table.ts";
import type { ConnectRule } from "../proxy/host-list.ts";
import type { NetworkAccess } from "../proxy/program-network.ts";

/** A program to start. */
export interface ProgramStart {
  /** The program, found on the `PATH` of `env`, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `output`: no standard input, both outputs in one pipe in write order. `all`: a pipe for each of the three, and at
   * descriptor 3 a pipe that closes when this process dies.
   */
  readonly streams: "output" | "all";
  /** Further descriptors of this process, which the program gets behind those of its streams. */
  readonly descriptors?: readonly number[];
  /** Where it differs from the launcher's. */
  readonly sandbox?: SandboxRequest;
}

/** The rules of one program. An omitted field has the value of its launcher. */
export interface SandboxRequest {
  /** Narrows the hosts that the launcher's programs may connect to. */
  readonly network?: ConnectRule;
  /** Absolute paths that it may write, instead of the workspace. */
  readonly write?: readonly string[];
  /** Absolute paths that it may read, instead of the workspace. */
  readonly read?: readonly string[];
}

/** Network access for programs of a request. */
export type NetworkSource = (asked: SandboxRequest["network"]) => Promise<NetworkAccess>;

/** How a program ended: by its exit code or a signal. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program in a session of its own. Its identity was read before anything could wait for its end. */
export interface StartedProgram extends ProcessIdentity {
  /** Null with `output`. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** Null with `output`. */
  readonly stderr: Readable | null;
  /** Rejects with {@link LaunchFailed} when the thread that waits for the program has died: its exit is then unknown. */
  readonly exited: Promise<ProgramExit>;
  /** Closes the ends of its pipes in this process. */
  dispose(): void;
}

/** Starts programs. */
export interface ProgramLauncher {
  /** Rejects with {@link LaunchFailed}; then nothing runs, and nothing is open. */
  start(program: ProgramStart): Promise<StartedProgram>;
  /** Starts nothing from then on. Programs that still run are the caller's to end. */
  close(): Promise<void>;
}

/** A program that could not be started; its message is for its user. */
export class LaunchFailed extends Error {
  override readonly name = "LaunchFailed";
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the program or its folder does not exist",
  ENOTDIR: "the program or its folder does not exist",
  EACCES: "the program may not be executed, or its folder not entered",
  EPERM: "the program may not be executed",
  ENOEXEC: "the program has no executable format",
  E2BIG: "its arguments and environment are too long",
  EAGAIN: "too many processes are running",
  ENOMEM: "no memory is left",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** The failure of a spawn, by the code of its system call. */
export function spawnFailure({ code = "", message }: SpawnError): LaunchFailed {
  return new LaunchFailed(`the command cannot be started: ${REASONS[code] ?? message}${code && ` (${code})`}`);
}

interface SpawnError {
  readonly code?: string | undefined;
  readonly message: string;
}

/**
 * The identity of a program that has just been started and is not reaped. A program whose identity cannot be read is
 * killed, because it could not be ended later.
 */
export function identifyProgram(pid: number): ProcessIdentity {
  try {
    return readIdentity(pid);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) sendSignal(-pid, "SIGKILL");
    throw new LaunchFailed("the command cannot be identified", { cause: error });
  }
}

/** Converts any error of a start. */
export function launchFailure(error: unknown): LaunchFailed {
  if (error instanceof LaunchFailed) return error;
  if (error instanceof SystemCallFailed)
    return spawnFailure({ code: getSystemErrorName(-error.errno), message: error.message });
  return spawnFailure(error instanceof Error ? error : { message: String(error) });
}
