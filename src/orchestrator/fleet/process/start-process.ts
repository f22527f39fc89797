import { execa } from "execa";
import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";
import type { ProcessExit } from "../engine-backend.ts";
import type { DelegatedCgroup } from "../../../sandbox/cgroups.ts";
import type { EngineSnapshots } from "./engine-snapshots.ts";
import type { CompileCache } from "../isolation/compile-cache.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { setOomScore, type ProcessIdentity, readIdentity } from "../../../sandbox/processes.ts";
import { ENGINE_OOM_SCORE } from "./engine-limits.ts";
import type { ProcessOrder } from "./process-order.ts";
import { heapOption } from "./heap-option.ts";

export interface StartSettings {
  readonly nodePath: string;
  /** The engine's entry point. It reads the launch file. */
  readonly engineEntry: string;
  /** Omitted: engines load their program. */
  readonly snapshots?: EngineSnapshots;
  readonly compileCache?: CompileCache;
  readonly path: string;
  readonly home?: string | undefined;
  readonly lang?: string | undefined;
  readonly timeZone?: string | undefined;
}

export interface StartParts {
  readonly launchFile: string;
  /** The descriptor of the engine's listening socket. Null: the engine makes its own. */
  readonly listener: number | null;
  /** The descriptor of the engine's log. */
  readonly log: number;
  readonly owner: Owner;
  readonly cgroup: DelegatedCgroup | null;
  /** The options of Node.js. */
  readonly options: readonly string[];
}

export interface StartedProcess {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessExit>;
}

/** The options of Node.js for an engine: its heap, and its snapshot where engines start from one. */
export async function nodeOptions(
  { snapshots }: Pick<StartSettings, "snapshots">,
  { launch, memoryMb }: { readonly launch: Pick<ProcessOrder["launch"], "settings">; readonly memoryMb: number },
): Promise<readonly string[]> {
  return [...heapOption(memoryMb), ...((await snapshots?.optionsFor(launch.settings)) ?? [])];
}

/** Starts an engine's process. The log is a file descriptor, not a pipe, so that it works after the daemon exits. */
export async function startProcess(
  settings: StartSettings,
  { launch, uid }: ProcessOrder,
  { launchFile, listener, log, owner, cgroup, options }: StartParts,
): Promise<StartedProcess> {
  // The launch file is an argument too, so that a later daemon can prove the identity of another user's process.
  const started = execa(settings.nodePath, [...options, settings.engineEntry, launchFile], {
    cwd: launch.data_dir,
    env: { ...engineEnvironment(settings, owner), [LAUNCH_FILE_VARIABLE]: launchFile },
    // With uid and gid, Node.js also drops the supplementary groups.
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
    setOomScore(pid, ENGINE_OOM_SCORE);
  } catch (error) {
    // I3 identity before signal: an unreaped child still has its pid. No record would identify this process later.
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
  return { identity, ended };
}

/** Without NODE_OPTIONS (it may open a debugger), NODE_EXTRA_CA_CERTS (it adds 40 ms to each boot) and secrets. */
export const engineEnvironment = (
  settings: StartSettings,
  owner: Owner,
): Readonly<Record<string, string | undefined>> => ({
  PATH: settings.path,
  HOME: settings.home,
  LANG: settings.lang,
  TZ: settings.timeZone,
  NODE_COMPILE_CACHE: settings.compileCache?.folderFor(owner.uid) ?? undefined,
});
