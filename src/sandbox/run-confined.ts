import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { once } from "node:events";
import { DiskQuota } from "./disk/disk-quota.ts";
import { readDiskSpace } from "./disk/disk-space.ts";
import { measureDisk } from "./disk/measure-disk.ts";
import { removeFolder } from "./folders/remove-folder.ts";
import { DEFAULT_HOST } from "./host.ts";
import { ConfinedLauncher } from "./programs/confined-launcher.ts";
import { LimitedLauncher, type LimitedProgram } from "./programs/limited-launcher.ts";
import { type TreeUsage, readUsage } from "./processes/tree-usage.ts";
import type { ProgramExit } from "./programs/program-launcher.ts";
import type { ConnectRule } from "./proxy/host-list.ts";
import { ProgramNetwork } from "./proxy/program-network.ts";
import { socketSupervisionProblem } from "./sockets/supervision-problem.ts";

/** What {@link runConfined} allows a program. */
export interface ProgramRules {
  /** Absolute paths to read and execute, besides programs of the system. Each must exist. */
  readonly read?: readonly string[];
  /** Absolute paths to write, besides its own empty folder. Each must exist. */
  readonly write?: readonly string[];
  /** Hosts to connect to, such as `*.example.com:443`; `open` is the public internet. Default: `none`. */
  readonly connect?: ConnectRule;
  /** TCP ports on loopback to listen on, and to connect to. Default: none. */
  readonly listen?: readonly number[];
  /** MiB of its processes. Default: 512. */
  readonly memoryMb?: number;
  /** Processes and threads together. Default: 64. */
  readonly maxProcesses?: number;
  /** MiB of its own folder. Default: 256. */
  readonly diskMb?: number;
  /** Besides PATH, HOME and TMPDIR. Nothing of this process is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets both outputs as they come, also beyond the first MiB. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** How a program of {@link runConfined} ended. */
export interface ConfinedEnd extends ProgramExit {
  /** Both outputs in write order, at most the first MiB. */
  readonly output: string;
  /** The limit that ended it, or null. */
  readonly limit: string | null;
}

/** A running program of {@link runConfined}. */
export interface ConfinedProgram {
  readonly pid: number;
  /** Resolves when all its processes have ended and its folder is removed. */
  readonly ended: Promise<ConfinedEnd>;
  /** What its processes use now. Null when they have ended. */
  usage(): TreeUsage | null;
  /** Ends all its processes: SIGTERM, and SIGKILL after half a second. */
  end(): Promise<ConfinedEnd>;
}

const MAX_OUTPUT_BYTES = 1_048_576;
const PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Starts a program that is confined from its first instruction on, in an empty folder of its own. `command` is the
 * program and its arguments; no shell reads them. Rejects, with nothing started, where the host cannot confine it. {@link report} tells what the host can.
 */
export async function runConfined(command: readonly string[], rules: ProgramRules = {}): Promise<ConfinedProgram> {
  const { read = [], write = [], connect = "none", listen = [], env = {} } = rules;
  const base = mkdtempSync(join(tmpdir(), "sandbox-"));
  const folder = join(base, "program");
  const folders = {
    workspace: join(folder, "workspace"),
    temporary: join(folder, "tmp"),
    cache: join(folder, "cache"),
  };
  for (const one of Object.values(folders)) mkdirSync(one, { recursive: true });
  const network = new ProgramNetwork({ connect, listen });
  const launcher = limited(folder, {
    rules,
    launcher: new ConfinedLauncher({
      folders,
      readable: [...read, ...write],
      network: (asked) => network.access(asked),
      listen,
      sharedUser: true,
      program: worker("programs/launch-worker"),
      supervisor: socketSupervisionProblem() === null ? worker("sockets/supervisor-worker") : null,
    }),
  });
  const close = async () => {
    await launcher.close();
    await network.close();
    await removeFolder(base, { aside: tmpdir() });
  };
  try {
    const program = await launcher.start({
      argv: command,
      cwd: folders.workspace,
      env: { PATH, HOME: folders.workspace, TMPDIR: folders.temporary, ...env },
      streams: "output",
      sandbox: { write: [folders.workspace, ...write] },
    });
    return running(program, { close, onOutput: rules.onOutput ?? (() => undefined) });
  } catch (error) {
    await close();
    throw error;
  }
}

function limited(
  folder: string,
  { rules, launcher }: { readonly rules: ProgramRules; readonly launcher: ConfinedLauncher },
): LimitedLauncher {
  const { memoryMb = 512, maxProcesses = 64, diskMb = 256 } = rules;
  const disk = new DiskQuota({
    megabytes: diskMb,
    reserveMegabytes: 0,
    measure: (options) => measureDisk(folder, whole.diskWatch.pids(), options),
    space: () => readDiskSpace(folder),
    logger: DEFAULT_HOST.logger,
  });
  const whole = new LimitedLauncher({
    launcher,
    limits: { maxProcesses, memoryMb },
    cgroupFolders: [],
    disk,
    signalsOwnAlone: false,
  });
  return whole;
}

function running(
  program: LimitedProgram,
  { close, onOutput }: { readonly close: () => Promise<void>; readonly onOutput: (chunk: Buffer) => void },
): ConfinedProgram {
  const { pid, stdout, exited, tree, exceeded } = program;
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT_BYTES;
  stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
    onOutput(chunk);
  });
  const closed = once(stdout, "close");
  exceeded.addEventListener("abort", () => DEFAULT_HOST.inBackground("end of a program over its limit", tree.end()));
  const wholeEnd = async (): Promise<ConfinedEnd> => {
    try {
      const exit = await exited;
      // What it left behind would hold the output open.
      await tree.end();
      await closed;
      const limit = exceeded.aborted ? String(exceeded.reason) : program.limitReached(exit);
      return { ...exit, output: Buffer.concat(chunks).toString(), limit };
    } finally {
      program.dispose();
      await close();
    }
  };
  const ended = wholeEnd();
  // For a caller that awaits `end` alone.
  ended.catch(() => undefined);
  return {
    pid,
    ended,
    usage: () => readUsage([pid]).get(pid) ?? null,
    async end() {
      await tree.end();
      return ended;
    },
  };
}

/** The code of a thread: a file beside this one, which is TypeScript or built. */
const worker = (file: string): string =>
  `require(${JSON.stringify(join(import.meta.dirname, file + extname(import.meta.filename)))})`;
