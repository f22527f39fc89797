import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { ConfinedLauncher, type ConfinedLauncherOptions } from "../../../src/sandbox/programs/confined-launcher.ts";
import { sandboxHost } from "../../../src/engine/isolation/sandbox-host.ts";
import { engineFolders } from "../../../src/engine/isolation/file-rules.ts";
import type { ProgramFolders } from "../../../src/sandbox/programs/program-files.ts";
import type {
  ProgramExit,
  ProgramStart,
  StartedProgram,
  ProgramLauncher,
} from "../../../src/sandbox/programs/program-launcher.ts";
import { isAlive } from "../../../src/sandbox/processes/process-table.ts";
import { landlockAbi } from "../../../src/sandbox/landlock/landlock.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { cannotSupervise } from "../../helpers/confined.ts";

export const dist = resolve(import.meta.dirname, "../../../dist");
/** What a thread that starts programs runs. */
export const WORKER = readFileSync(join(dist, "engine-launch-worker.cjs"), "utf8");

/** What the thread that supervises their sockets runs; null where the host lets none do so. */
export const SUPERVISOR = cannotSupervise ? null : readFileSync(join(dist, "engine-supervisor-worker.cjs"), "utf8");

/** Why nothing can be confined here; false where it can. */
export const cannotConfine = landlockAbi().problem ?? false;

export type Ended = ProgramExit & { readonly output: string };

export interface LauncherBench {
  readonly launcher: ProgramLauncher;
  readonly folders: ProgramFolders;
  /** The engine's folder. */
  readonly dataDir: string;
  readonly log: readonly string[];
  /** Starts a shell command. */
  readonly start: (command: string, more?: Partial<ProgramStart>) => Promise<StartedProgram>;
  /** Runs a shell command to its end. */
  readonly run: (command: string, more?: Partial<ProgramStart>) => Promise<Ended>;
}

/** A confining launcher and an engine's folder, with a store in it. */
export function launcherBench(t: Test, options: Partial<ConfinedLauncherOptions> = {}): LauncherBench {
  const dataDir = t.testdir({ "engine.db": "the store", catalog: { secret: "of the catalog" } });
  const folders = engineFolders(dataDir);
  const log: string[] = [];
  const logger = createLogger("test", "debug", { write: (line: string) => void log.push(line) });
  const launcher = confinedLauncher(t, folders, { host: sandboxHost(logger), ...options });
  const start = async (command: string, more: Partial<ProgramStart> = {}) => {
    const program = await launcher.start({
      argv: ["/bin/sh", "-c", command],
      cwd: folders.workspace,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      streams: "output",
      ...more,
    });
    // A test that fails before its program has ended would otherwise wait for it for ever.
    t.teardown(() => isAlive(program) && process.kill(program.pid, "SIGKILL"));
    return program;
  };
  return { launcher, folders, dataDir, log, start, run: async (command, more) => ended(await start(command, more)) };
}

/** One without network, closed after the test. Makes the folders. */
export function confinedLauncher(
  t: Test,
  folders: ProgramFolders,
  options: Partial<ConfinedLauncherOptions> = {},
): ProgramLauncher {
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const launcher = new ConfinedLauncher({
    folders,
    readable: [],
    network: () => Promise.resolve({ proxyPort: null, environment: {} }),
    listen: [],
    program: WORKER,
    supervisor: SUPERVISOR,
    sharedUser: true,
    host: sandboxHost(createLogger("test", "silent")),
    ...options,
  });
  t.teardown(() => launcher.close());
  return launcher;
}

export async function ended(program: StartedProgram): Promise<Ended> {
  const [output, exit] = await Promise.all([text(program.stdout), program.exited]);
  program.dispose();
  return { ...exit, output };
}

/** The threads of this process that start programs. */
export const launchThreads = (): readonly string[] =>
  readdirSync("/proc/self/task").filter((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/comm`, "utf8").trim() === "programs";
    } catch {
      return false; // It ended after it was listed.
    }
  });
