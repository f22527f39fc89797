import { closeSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { LAUNCH_FILE_VARIABLE } from "../../contract/engine-launch.ts";
import { Releasers } from "../../shared/releasers.ts";
import { type LaunchOrder, LaunchFailed, PortTaken, type ProcessEnd } from "./engine-backend.ts";
import type { EngineCgroup } from "./engine-cgroup.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { openToAppendSync } from "./engine-file.ts";
import { ENGINE_LOG } from "./engine-log.ts";
import { launchFilePath, removeLaunchFile, writeLaunchFile } from "./launch-file.ts";
import { preferForOomKill } from "./oom-score.ts";
import { isPortFree } from "./port-check.ts";
import { type ProcessIdentity, readIdentity } from "./process-identity.ts";
import { systemReason } from "./system-reason.ts";

export interface SpawnSettings {
  readonly nodePath: string;
  /** The program that reads the launch file and becomes the engine. */
  readonly engineEntry: string;
  /** Where Node.js keeps compiled code from start to start. */
  readonly cacheDir: string;
  readonly runDir: string;
  readonly path: string;
  readonly home?: string | undefined;
  readonly lang?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Of the engine's memory; the rest is for buffers, SQLite and code. */
const HEAP_SHARE = 0.75;

export interface SpawnedEngine {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessEnd>;
  readonly launchFile: string;
  readonly cgroup: EngineCgroup | null;
}

/** Starts the process of an engine, or throws {@link LaunchFailed} with nothing of it left. */
export async function spawnEngine(
  settings: SpawnSettings,
  order: LaunchOrder,
  cgroups: EngineCgroups | null,
): Promise<SpawnedEngine> {
  const { launch } = order;
  const undo = new Releasers();
  try {
    if (!(await isPortFree(launch.host, launch.port))) {
      throw new PortTaken(`port ${launch.port} is taken by another program`);
    }
    // Synchronous like the fork itself: a few tiny files are quicker written than handed to another thread.
    const made = mkdirSync(launch.data_dir, { recursive: true, mode: 0o700 });
    if (made !== undefined) undo.push(() => rmSync(made, { recursive: true, force: true }));
    const launchFile = launchFilePath(settings.runDir, launch.incarnation);
    // Before it is written: half of it would hold secrets too.
    undo.push(() => removeLaunchFile(launchFile));
    writeLaunchFile(launchFile, launch);
    const log = openToAppendSync(join(launch.data_dir, ENGINE_LOG));
    try {
      return { ...(await start(settings, order, { launchFile, log, cgroups })), launchFile };
    } finally {
      closeSync(log);
    }
  } catch (error) {
    await undo.release();
    if (error instanceof LaunchFailed) throw error;
    throw new LaunchFailed(`the engine's process cannot be started: ${systemReason(error)}`, { cause: error });
  }
}

/** Raw descriptors, no pipe: nothing of the daemon's stands between the engine and its log. */
async function start(
  settings: SpawnSettings,
  { launch, memoryMb }: LaunchOrder,
  {
    launchFile,
    log,
    cgroups,
  }: { readonly launchFile: string; readonly log: number; readonly cgroups: EngineCgroups | null },
): Promise<Omit<SpawnedEngine, "launchFile">> {
  const heapMb = Math.floor(memoryMb * HEAP_SHARE);
  const options = heapMb > 0 ? [`--max-old-space-size=${heapMb}`] : [];
  const started = execa(settings.nodePath, [...options, settings.engineEntry], {
    cwd: launch.data_dir,
    env: environmentOf(settings, launchFile),
    extendEnv: false,
    detached: true,
    cleanup: false,
    stdin: "ignore",
    // Any descriptor works; the types know them only up to 9.
    stdout: log as 3,
    stderr: log as 3,
    buffer: false,
    reject: false,
  });
  const { pid } = started;
  if (pid === undefined) {
    const { cause, message } = await started;
    throw cause ?? new Error(message);
  }
  const child = started.nodeChildProcess;
  let identity: ProcessIdentity;
  let cgroup: EngineCgroup | null;
  try {
    // Before the event loop runs again even a child that has died is still there, unreaped, to be read.
    identity = readIdentity(pid);
    cgroup = cgroups?.confine(launch.incarnation, pid, memoryMb) ?? null;
    preferForOomKill(pid);
  } catch (error) {
    // Nobody would know this process. It is our child and not reaped yet, so the pid is its own.
    child.kill("SIGKILL");
    throw error;
  }
  child.unref();
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return { identity, ended, cgroup };
}

/** Never NODE_OPTIONS (a debugger port for all), NODE_EXTRA_CA_CERTS (40 ms of each boot) or anything secret. */
function environmentOf(settings: SpawnSettings, launchFile: string): Record<string, string | undefined> {
  return {
    PATH: settings.path,
    HOME: settings.home,
    LANG: settings.lang,
    TZ: settings.timeZone,
    NODE_COMPILE_CACHE: settings.cacheDir,
    [LAUNCH_FILE_VARIABLE]: launchFile,
  };
}
