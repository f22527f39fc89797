import { closeSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { LAUNCH_FILE_VARIABLE } from "../../contract/launch-file.ts";
import { Releasers } from "../../shared/releasers.ts";
import type { ProcessExit } from "./engine-backend.ts";
import { LaunchFailed, PortTaken } from "./launch-failed.ts";
import type { EngineCgroup } from "./engine-cgroup.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { ENGINE_LISTENER, type EngineSockets } from "./engine-sockets.ts";
import { type EngineLimits, allTasks } from "./engine-limits.ts";
import { openToAppendSync } from "./engine-file.ts";
import { ENGINE_LOG } from "./engine-log.ts";
import type { EngineSnapshots } from "./engine-snapshots.ts";
import { changeOwner } from "./isolation/change-owner.ts";
import type { CompileCache } from "./isolation/compile-cache.ts";
import { type Owner, engineUser } from "./isolation/owner.ts";
import { launchFilePath, removeLaunchFile, writeLaunchFile } from "./launch-file.ts";
import { setOomScore } from "./oom-score.ts";
import { isPortFree } from "./port-check.ts";
import { type ProcessIdentity, readIdentity } from "./process-identity.ts";
import type { ProcessOrder } from "./process-order.ts";
import { systemReason } from "./system-reason.ts";

export interface SpawnSettings {
  readonly nodePath: string;
  /** The engine's entry point. It reads the launch file. */
  readonly engineEntry: string;
  /** Omitted: engines load their program. */
  readonly snapshots?: EngineSnapshots;
  readonly compileCache?: CompileCache;
  readonly runDir: string;
  readonly path: string;
  readonly home?: string | undefined;
  readonly lang?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** The share of an engine's memory for the V8 heap. The rest is for buffers, SQLite and code. */
const HEAP_SHARE = 0.75;

export interface SpawnedEngine {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessExit>;
  readonly launchFile: string;
  readonly cgroup: EngineCgroup | null;
}

interface StartParts {
  readonly launchFile: string;
  /** The descriptor of the engine's listening socket. Null: the engine makes its own. */
  readonly listener: number | null;
  /** The descriptor of the engine's log. */
  readonly log: number;
  readonly owner: Owner;
  readonly cgroup: EngineCgroup | null;
}

/**
 * Spawns an engine's process. Throws {@link LaunchFailed} after cleaning up. The engine's socket stays: the caller decides
 * whether the engine is started again.
 */
export async function spawnEngine(
  settings: SpawnSettings,
  order: ProcessOrder,
  { cgroups, sockets }: { readonly cgroups: EngineCgroups; readonly sockets: EngineSockets },
): Promise<SpawnedEngine> {
  const { launch } = order;
  const undo = new Releasers();
  try {
    const listener = sockets.hold(launch.engine_id, launch.port);
    if (listener === null && !(await isPortFree(launch.host, launch.port))) {
      throw new PortTaken(`port ${launch.port} is taken by another program`);
    }
    // Synchronous: writing a few tiny files is faster than the thread pool.
    const owner = engineUser(order.uid);
    const made = mkdirSync(launch.data_dir, { recursive: true, mode: 0o700 });
    if (made !== undefined) undo.push(() => rmSync(made, { recursive: true, force: true }));
    const cgroup = cgroups.create(launch.incarnation, limitsOf(order), order.uid === null ? null : owner);
    if (cgroup !== null) undo.push(() => cgroups.remove(cgroup));
    const launchFile = launchFilePath(settings.runDir, launch.incarnation);
    // Pushed before the write, since an incomplete file holds secrets too.
    undo.push(() => removeLaunchFile(launchFile));
    await changeOwner(launch.data_dir, owner);
    const listening = listener === null ? {} : { listen_fd: ENGINE_LISTENER };
    writeLaunchFile(launchFile, { ...launch, ...listening, ...toolLimitsOf(order, cgroup) }, owner);
    const log = openToAppendSync(join(launch.data_dir, ENGINE_LOG));
    try {
      return { ...(await start(settings, order, { launchFile, listener, log, owner, cgroup })), launchFile };
    } finally {
      closeSync(log);
    }
  } catch (error) {
    await undo.release();
    if (error instanceof LaunchFailed) throw error;
    throw new LaunchFailed(`failed to start the engine's process: ${systemReason(error)}`, { cause: error });
  }
}

/** The log is passed as a file descriptor, not a pipe, so that it works after the daemon exits. */
async function start(
  settings: SpawnSettings,
  { launch, memoryMb, uid }: ProcessOrder,
  parts: StartParts,
): Promise<Omit<SpawnedEngine, "launchFile">> {
  const { launchFile, listener, log, owner, cgroup } = parts;
  const heapMb = Math.floor(memoryMb * HEAP_SHARE);
  const heap = heapMb > 0 ? [`--max-old-space-size=${heapMb}`] : [];
  const options = [...heap, ...((await settings.snapshots?.optionsFor(launch.settings)) ?? [])];
  // The launch file is an argument too, so that a later daemon can prove the identity of another user's process.
  const started = execa(settings.nodePath, [...options, settings.engineEntry, launchFile], {
    cwd: launch.data_dir,
    env: environmentOf(settings, parts),
    // Node.js gives up supplementary groups with them.
    ...(uid !== null && owner),
    extendEnv: false,
    detached: true,
    cleanup: false,
    // execa accepts any descriptor, but its types only up to 9. The fourth is ENGINE_LISTENER.
    stdio: ["ignore", log as 3, log as 3, ...(listener === null ? [] : [listener as 3])],
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
  try {
    // Until the event loop runs again even an exited child is an unreaped zombie, whose stat can be read.
    identity = readIdentity(pid);
    cgroup?.enter(pid);
    setOomScore(pid);
  } catch (error) {
    // I3 identity before signal: an unreaped child still has its pid. Nobody else could find this process.
    child.kill("SIGKILL");
    throw error;
  }
  child.unref();
  const ended = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      settings.snapshots?.exited(code);
      resolve({ code, signal });
    });
  });
  return { identity, ended, cgroup };
}

/** The launch file and the policy say what an engine may use. */
const limitsOf = ({ launch: { limits }, cpuWeight }: ProcessOrder): EngineLimits => ({
  maxProcesses: limits.max_processes,
  memoryMb: limits.memory_mb,
  cpuWeight,
});

/** The cgroups of its tools. Where none limits processes, a user of its own does: the kernel counts what it runs. */
function toolLimitsOf({ launch: { limits }, uid }: ProcessOrder, cgroup: EngineCgroup | null) {
  const tasks = uid === null || cgroup?.limitsProcesses() === true ? 0 : allTasks(limits.max_processes);
  return { tool_cgroups: [...(cgroup?.toolFolders() ?? [])], ...(tasks > 0 && { user_tasks: tasks }) };
}

/** Without NODE_OPTIONS (it may open a debugger), NODE_EXTRA_CA_CERTS (it adds 40 ms to each boot) and secrets. */
function environmentOf(settings: SpawnSettings, { launchFile, owner }: StartParts): Record<string, string | undefined> {
  return {
    PATH: settings.path,
    HOME: settings.home,
    LANG: settings.lang,
    TZ: settings.timeZone,
    NODE_COMPILE_CACHE: settings.compileCache?.folderFor(owner.uid) ?? undefined,
    [LAUNCH_FILE_VARIABLE]: launchFile,
  };
}
