import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { DEFAULT_HOST, type Words } from "../host.ts";
import {
  LaunchFailed,
  type NetworkSource,
  type ProgramExit,
  type ProgramStart,
  type StartedProgram,
  type ProgramLauncher,
  identifyProgram,
  spawnFailure,
} from "./program-launcher.ts";

/** Merges both outputs into one pipe, in write order. */
const MERGE_OUTPUTS = ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh"];

/** Starts programs unconfined: on a host that cannot confine them, or where they need not be. */
export class DirectLauncher implements ProgramLauncher {
  readonly #network: NetworkSource;
  readonly #words: Words;
  #closed = false;

  constructor(network: NetworkSource, { words } = DEFAULT_HOST) {
    this.#network = network;
    this.#words = words;
  }

  async start(program: ProgramStart): Promise<StartedProgram> {
    const { environment } = await this.#network(program.sandbox?.network);
    if (this.#closed) throw new LaunchFailed(this.#words.closed);
    const child = spawnProgram({ ...program, env: { ...environment, ...program.env } });
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stdout === null) {
      const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
      throw spawnFailure(error);
    }
    const exited = new Promise<ProgramExit>((resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    // The exit of the process reports a broken stream.
    for (const stream of child.stdio) stream?.on("error", () => undefined);
    return {
      // Elsewhere there is no /proc, and only the group is signalled.
      ...(process.platform === "linux" ? identifyProgram(pid) : { pid, startTime: "0" }),
      stdin,
      stdout,
      stderr,
      exited,
      dispose() {
        for (const stream of child.stdio) stream?.destroy();
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

function spawnProgram({ argv, cwd, env, streams, descriptors = [] }: ProgramStart): ChildProcess {
  const [file = "", ...args] = streams === "output" ? [...MERGE_OUTPUTS, ...argv] : argv;
  const stdio = streams === "output" ? (["ignore", "pipe", "ignore"] as const) : Array<"pipe">(4).fill("pipe");
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: [...stdio, ...descriptors] });
  } catch (error) {
    throw spawnFailure(error as NodeJS.ErrnoException);
  }
}
