import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { type CgroupHierarchy, findCgroupHierarchies } from "./cgroup-hierarchies.ts";
import type {
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
  ProcessHandle,
  StopOutcome,
} from "./engine-backend.ts";
import { EngineCgroups } from "./engine-cgroups.ts";
import { EngineSockets } from "./engine-sockets.ts";
import { ENGINE_LOG } from "./engine-log.ts";
import { ExitWatch } from "./exit-watch.ts";
import { findOrphans, findRoot } from "./find-processes.ts";
import { launchFileOf, launchFilePath, removeLaunchFile, removeOldLaunchFiles } from "./launch-file.ts";
import { limitsReport } from "./limits-report.ts";
import { LogRotation } from "./log-rotation.ts";
import { bootId, sameProcess } from "./process-identity.ts";
import { ProcessTree } from "./process-tree.ts";
import type { SocketStore } from "./socket-store.ts";
import { NO_WARM_ENGINES, type WarmEngines, openSpares } from "./spares/open-spares.ts";
import { type SpawnSettings, spawnEngine } from "./spawn-engine.ts";
import { stopTree } from "./stop-ladder.ts";
import { TrackedProcess } from "./tracked-process.ts";

export interface ProcessBackendOptions extends Omit<SpawnSettings, "spares"> {
  readonly logger: Logger;
  /** The address that engines listen on. */
  readonly host: string;
  /** Keeps the sockets of engines while no daemon runs. Default: none. */
  readonly socketStore?: SocketStore;
  /** The parents of the engines' cgroups. Default: detected. None disables cgroups. */
  readonly cgroupHierarchies?: readonly CgroupHierarchy[];
  /** Default: none. */
  readonly warmEngines?: WarmEngines;
}

/** Runs engines as child processes in their own sessions, which outlive the daemon. */
export function createProcessBackend({
  logger,
  host,
  socketStore,
  cgroupHierarchies = findCgroupHierarchies(),
  warmEngines = NO_WARM_ENGINES,
  ...processes
}: ProcessBackendOptions): EngineBackend {
  const { runDir } = processes;
  const cgroups = new EngineCgroups(cgroupHierarchies, { runDir, logger });
  cgroups.prepare();
  const sockets = new EngineSockets({ host, logger, store: socketStore });
  const boot = bootId();
  const watch = new ExitWatch();
  const logs = new LogRotation(logger);
  /** Clean-ups by engine folder. The next launch waits until the remains of the last incarnation are gone. */
  const cleanUps = new Map<string, Promise<void>>();
  const spares = openSpares(processes, { ...warmEngines, logger });
  const settings = { ...processes, spares };
  removeOldLaunchFiles(runDir).catch((error: unknown) =>
    logger.warn({ err: error }, "failed to remove old launch files"),
  );

  function track(parts: ConstructorParameters<typeof TrackedProcess>[0], folder: string): EngineProcess {
    const tracked = new TrackedProcess(parts);
    const log = join(folder, ENGINE_LOG);
    logs.watch(log);
    void tracked.exited.then(() => {
      logs.forget(log);
      const cleared = clear(tracked);
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

  function attach(handle: ProcessHandle, { id, folder, uid }: Incarnation): EngineProcess | null {
    if (!sameProcess(handle)) return null;
    const launchFile = launchFilePath(runDir, id);
    // I3 identity before signal: a row may name a foreign process. The launch file that it names is the proof.
    if (launchFileOf(handle.pid) !== launchFile) return null;
    const cgroup = cgroups.adopt(id, uid === null ? null : { uid, gid: uid });
    const ended = watch.ended(handle);
    const parts = { handle, launchFile, cgroup, cgroups, uid, ended, checkExit: () => watch.check() };
    return track(parts, folder);
  }

  return {
    bootId: boot,
    sockets,
    limitsReport: () => limitsReport(cgroups.hierarchies),
    startProblem: () => settings.snapshots?.problem ?? null,
    spares,
    attach,

    async launch(order: LaunchOrder): Promise<EngineProcess> {
      const folder = order.launch.data_dir;
      await cleanUps.get(folder);
      const { identity, ...parts } = await spawnEngine(settings, order, { cgroups, sockets });
      const handle = { ...identity, bootId: boot };
      return track({ ...parts, handle, cgroups, uid: order.uid, checkExit: () => undefined }, folder);
    },

    find(incarnation: Incarnation): EngineProcess | null {
      const root = findRoot({ runDir, cgroups }, incarnation);
      return root === null ? null : attach({ ...root, bootId: boot }, incarnation);
    },

    async endOrphans({ id, uid }: Incarnation): Promise<StopOutcome> {
      const launchFile = launchFilePath(runDir, id);
      removeLaunchFile(launchFile);
      const tree = new ProcessTree({ root: null, launchFile, cgroup: cgroups.find(id), uid, cgroups });
      return stopTree(tree, { termMs: 0, hurry: AbortSignal.abort() });
    },

    orphans: (known) => findOrphans({ runDir, cgroups }, known),
  };
}
