import { readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LAUNCH_FILE_VARIABLE } from "../../contract/engine-launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { type CgroupBase, findCgroupBase } from "./cgroup-base.ts";
import type { EngineBackend, EngineProcess, LaunchOrder, ProcessHandle, StopOutcome } from "./engine-backend.ts";
import { EngineCgroups } from "./engine-cgroups.ts";
import { ENGINE_LOG } from "./engine-log.ts";
import { ExitWatch } from "./exit-watch.ts";
import { findOrphans, findRoot } from "./find-processes.ts";
import { launchFilePath, removeLaunchFile, removeOldLaunchFiles } from "./launch-file.ts";
import { LogRotation } from "./log-rotation.ts";
import { bootId, sameProcess, startVariable } from "./process-identity.ts";
import { ProcessTree } from "./process-tree.ts";
import { type SpawnSettings, spawnEngine } from "./spawn-engine.ts";
import { stopTree } from "./stop-ladder.ts";
import { TrackedProcess } from "./tracked-process.ts";

export interface ProcessBackendOptions extends SpawnSettings {
  readonly logger: Logger;
  /** Where each engine gets a cgroup of its own; found out when it is not said, `null` for nowhere. */
  readonly cgroupBase?: CgroupBase | null;
}

/** Engines as plain child processes of this machine, in sessions of their own, that outlive the daemon. */
export function createProcessBackend({
  logger,
  cgroupBase = findCgroupBase(),
  ...settings
}: ProcessBackendOptions): EngineBackend {
  const { runDir } = settings;
  const cgroups = cgroupBase && new EngineCgroups(cgroupBase, { runDir, logger });
  cgroups?.prepare();
  const boot = bootId();
  const watch = new ExitWatch();
  const logs = new LogRotation(logger);
  /** By engine folder: what ended lives left is ended before the next one begins. */
  const clearing = new Map<string, Promise<void>>();
  removeOldLaunchFiles(runDir).catch((error: unknown) =>
    logger.warn({ err: error }, "old launch files could not be removed"),
  );

  function track(life: ConstructorParameters<typeof TrackedProcess>[0], folder: string | null): EngineProcess {
    const tracked = new TrackedProcess(life);
    const log = folder === null ? null : join(folder, ENGINE_LOG);
    if (log !== null) logs.watch(log);
    void tracked.exited.then(() => {
      if (log !== null) logs.forget(log);
      const cleared = clear(tracked);
      if (folder === null) return;
      clearing.set(folder, cleared);
      void cleared.then(() => {
        if (clearing.get(folder) === cleared) clearing.delete(folder);
      });
    });
    return tracked;
  }

  async function clear(tracked: TrackedProcess): Promise<void> {
    const { pid } = tracked.handle;
    try {
      const outcome = await tracked.clear();
      if (outcome.kind === "survived")
        logger.error({ pid, survivors: outcome.pids }, "children of an ended engine would not die");
    } catch (error) {
      logger.error({ err: error, pid }, "what an ended engine left could not be cleared");
    }
  }

  function attach(handle: ProcessHandle, incarnation: string): EngineProcess | null {
    if (!sameProcess(handle)) return null;
    const launchFile = launchFilePath(runDir, incarnation);
    // A row that names a living process of somebody else is no proof; what the process was born with is.
    if (startVariable(handle.pid, LAUNCH_FILE_VARIABLE) !== launchFile) return null;
    const cgroup = cgroups?.find(incarnation) ?? null;
    const life = { handle, launchFile, cgroup, ended: watch.ended(handle), look: () => watch.look() };
    return track(life, logFolder(handle.pid));
  }

  return {
    bootId: boot,
    attach,

    async launch(order: LaunchOrder): Promise<EngineProcess> {
      const folder = order.launch.data_dir;
      await clearing.get(folder);
      const { identity, ...life } = await spawnEngine(settings, order, cgroups);
      return track({ ...life, handle: { ...identity, bootId: boot }, look: () => undefined }, folder);
    },

    find(incarnation: string): EngineProcess | null {
      const root = findRoot(launchFilePath(runDir, incarnation));
      return root === null ? null : attach({ ...root, bootId: boot }, incarnation);
    },

    async endOrphans(incarnation: string): Promise<StopOutcome> {
      const path = launchFilePath(runDir, incarnation);
      removeLaunchFile(path);
      const tree = new ProcessTree(null, path, cgroups?.find(incarnation));
      return stopTree(tree, { termMs: 0, hurry: AbortSignal.abort() });
    },

    orphans: (known) => findOrphans({ runDir, cgroups }, known),
  };
}

/** The folder an adopted engine writes its log to: its standard output tells. */
function logFolder(pid: number): string | null {
  try {
    const path = readlinkSync(`/proc/${pid}/fd/1`);
    return basename(path) === ENGINE_LOG ? dirname(path) : null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
