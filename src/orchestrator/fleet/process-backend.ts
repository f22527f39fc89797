import { readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LAUNCH_FILE_VARIABLE } from "../../contract/launch-file.ts";
import type { Logger } from "../../shared/logger.ts";
import { unlessGone } from "../../shared/processes.ts";
import { type CgroupHierarchy, findCgroupHierarchies } from "./cgroup-hierarchies.ts";
import type { EngineBackend, EngineProcess, LaunchOrder, ProcessHandle, StopOutcome } from "./engine-backend.ts";
import { EngineCgroups } from "./engine-cgroups.ts";
import { ENGINE_LOG } from "./engine-log.ts";
import { ExitWatch } from "./exit-watch.ts";
import { findOrphans, findRoot } from "./find-processes.ts";
import { launchFilePath, removeLaunchFile, removeOldLaunchFiles } from "./launch-file.ts";
import { limitsReport } from "./limits-report.ts";
import { LogRotation } from "./log-rotation.ts";
import { bootId, sameProcess, startVariable } from "./process-identity.ts";
import { ProcessTree } from "./process-tree.ts";
import { type SpawnSettings, spawnEngine } from "./spawn-engine.ts";
import { stopTree } from "./stop-ladder.ts";
import { TrackedProcess } from "./tracked-process.ts";

export interface ProcessBackendOptions extends SpawnSettings {
  readonly logger: Logger;
  /** The parents of the engines' cgroups. Default: detected. None disables cgroups. */
  readonly cgroupHierarchies?: readonly CgroupHierarchy[];
}

/** Runs engines as child processes in their own sessions, which outlive the daemon. */
export function createProcessBackend({
  logger,
  cgroupHierarchies = findCgroupHierarchies(),
  ...settings
}: ProcessBackendOptions): EngineBackend {
  const { runDir } = settings;
  const cgroups = new EngineCgroups(cgroupHierarchies, { runDir, logger });
  cgroups.prepare();
  const boot = bootId();
  const watch = new ExitWatch();
  const logs = new LogRotation(logger);
  /** Clean-ups by engine folder. The next launch waits until the remains of the last incarnation are gone. */
  const cleanUps = new Map<string, Promise<void>>();
  removeOldLaunchFiles(runDir).catch((error: unknown) =>
    logger.warn({ err: error }, "failed to remove old launch files"),
  );

  function track(parts: ConstructorParameters<typeof TrackedProcess>[0], folder: string | null): EngineProcess {
    const tracked = new TrackedProcess(parts);
    const log = folder === null ? null : join(folder, ENGINE_LOG);
    if (log !== null) logs.watch(log);
    void tracked.exited.then(() => {
      if (log !== null) logs.forget(log);
      const cleared = clear(tracked);
      if (folder === null) return;
      cleanUps.set(folder, cleared);
      void cleared.then(() => {
        if (cleanUps.get(folder) === cleared) cleanUps.delete(folder);
      });
    });
    return tracked;
  }

  async function clear(tracked: TrackedProcess): Promise<void> {
    const { pid } = tracked.handle;
    try {
      const outcome = await tracked.clear();
      if (outcome.kind === "survived")
        logger.error({ pid, survivors: outcome.pids }, "children of an exited engine survived SIGKILL");
    } catch (error) {
      logger.error({ err: error, pid }, "failed to clean up after an exited engine");
    }
  }

  function attach(handle: ProcessHandle, incarnation: string): EngineProcess | null {
    if (!sameProcess(handle)) return null;
    const launchFile = launchFilePath(runDir, incarnation);
    // I3 identity before signal: a row may name a foreign process. The launch file in its environment is the proof.
    if (startVariable(handle.pid, LAUNCH_FILE_VARIABLE) !== launchFile) return null;
    const cgroup = cgroups.find(incarnation);
    const parts = { handle, launchFile, cgroup, ended: watch.ended(handle), checkExit: () => watch.check() };
    return track(parts, logFolder(handle.pid));
  }

  return {
    bootId: boot,
    limitsReport: () => limitsReport(cgroups.hierarchies),
    attach,

    async launch(order: LaunchOrder): Promise<EngineProcess> {
      const folder = order.launch.data_dir;
      await cleanUps.get(folder);
      const { identity, ...parts } = await spawnEngine(settings, order, cgroups);
      return track({ ...parts, handle: { ...identity, bootId: boot }, checkExit: () => undefined }, folder);
    },

    find(incarnation: string): EngineProcess | null {
      const root = findRoot(launchFilePath(runDir, incarnation));
      return root === null ? null : attach({ ...root, bootId: boot }, incarnation);
    },

    async endOrphans(incarnation: string): Promise<StopOutcome> {
      const path = launchFilePath(runDir, incarnation);
      removeLaunchFile(path);
      const tree = new ProcessTree(null, path, cgroups.find(incarnation));
      return stopTree(tree, { termMs: 0, hurry: AbortSignal.abort() });
    },

    orphans: (known) => findOrphans({ runDir, cgroups }, known),
  };
}

/** The folder of an adopted engine's log, from its standard output. */
function logFolder(pid: number): string | null {
  const path = unlessGone(() => readlinkSync(`/proc/${pid}/fd/1`));
  return path !== null && basename(path) === ENGINE_LOG ? dirname(path) : null;
}
