import { join } from "node:path";
import { untilExit } from "../../../shared/background.ts";
import { shownProcess } from "../../../contract/orchestrator/engine-handle.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { CgroupHierarchy } from "../../../sandbox/cgroups.ts";
import type {
  Attached,
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
  ProcessTreeUsage,
  StopOutcome,
} from "../engine-backend.ts";
import { EngineRemains } from "./engine-remains.ts";
import { EngineCgroups, findEngineHierarchies } from "./engine-cgroups.ts";
import { engineFolder } from "../folders/engine-folder.ts";
import { EngineSockets } from "../sockets/engine-sockets.ts";
import { ENGINE_LOG, followLog, logTail } from "../logs/engine-log.ts";
import { engineUrl } from "../../engine-calls/engine-url.ts";
import { ExitWatch } from "./exit-watch.ts";
import type { CatalogFolders } from "../folders/catalog-folders.ts";
import { createFolderStorage } from "../folders/folder-storage.ts";
import { findOrphans, findRoot } from "./find-processes.ts";
import type { KnowledgeStorage } from "../knowledge-storage.ts";
import { LaunchFailed } from "../launch-failed.ts";
import { launchFileOf, launchFilePath, removeLaunchFile, removeOldLaunchFiles } from "./launch-file.ts";
import { limitsReport } from "../limits-report.ts";
import { type ProcessHandle, makeHandle, readHandle, sameProcess } from "./process-handle.ts";
import { bootId } from "./process-identity.ts";
import { type MachineParameters, processOrder } from "./process-order.ts";
import { ProcessTree } from "./process-tree.ts";
import { readProportionalMemory, readUsage } from "../../../sandbox/processes.ts";
import type { SocketStore } from "../sockets/socket-store.ts";
import { NO_WARM_ENGINES, type WarmEngines, openSpares } from "./spares/open-spares.ts";
import { type SpawnSettings, spawnEngine } from "./spawn-engine.ts";
import { portConflict } from "./port-conflict.ts";
import { stopTree, survivors } from "./stop-ladder.ts";
import { systemReason } from "../system-reason.ts";
import { onLocalHost } from "./local-host.ts";
import { TrackedProcess } from "./tracked-process.ts";

export interface ProcessBackendOptions extends Omit<SpawnSettings, "spares">, Omit<MachineParameters, "catalogFolder"> {
  readonly logger: Logger;
  /** The program that reads an engine's folder for a backup. */
  readonly folderProgram: string;
  /** The ports of engines. */
  readonly ports: { readonly min: number; readonly max: number };
  readonly catalogs: CatalogFolders;
  readonly knowledge: KnowledgeStorage;
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
  folderProgram,
  ports,
  catalogs,
  knowledge,
  socketStore,
  cgroupHierarchies = findEngineHierarchies(),
  warmEngines = NO_WARM_ENGINES,
  ...processes
}: ProcessBackendOptions): EngineBackend {
  const { runDir, dataDir, host, diskReserveMb = 0 } = processes;
  const machine = { ...processes, catalogFolder: (productId: string) => catalogs.ofProduct(productId) };
  const cgroups = new EngineCgroups(cgroupHierarchies, { runDir, logger });
  cgroups.prepare();
  const sockets = new EngineSockets({ host, logger, store: socketStore });
  const boot = bootId();
  const folderOf = (engineId: string) => engineFolder(dataDir, engineId);
  const watch = new ExitWatch();
  const remains = new EngineRemains(logger);
  /** The incarnations that this daemon has launched and that have not exited. */
  const launched = new Set<string>();
  const answers = onLocalHost({ host, dataDir, ports, diskReserveMb });
  const hasMemory = async (): Promise<boolean> => (await answers.capacityProblem("spare")) === null;
  const spares = openSpares(processes, { ...warmEngines, hasMemory, logger });
  const settings = { ...processes, spares };
  removeOldLaunchFiles(runDir).catch((error: unknown) =>
    logger.warn({ err: error }, "failed to remove old launch files"),
  );

  function track(parts: ConstructorParameters<typeof TrackedProcess>[0], engineId: string): EngineProcess {
    const tracked = new TrackedProcess(parts);
    remains.follow(tracked, { engineId, log: join(folderOf(engineId), ENGINE_LOG) });
    return tracked;
  }

  function adopt(handle: ProcessHandle, { id, engineId, port, uid }: Incarnation): Attached {
    if (!sameProcess(handle)) return { kind: "gone", cause: "exit" };
    const launchFile = launchFilePath(runDir, id);
    // I3 identity before signal: a row may name a foreign process. The launch file that it names is the proof.
    if (launchFileOf(handle.pid) !== launchFile) return { kind: "gone", cause: "exit" };
    const parts = {
      handle,
      address: engineUrl(host, port),
      launchFile,
      cgroup: cgroups.adopt(id, uid === null ? null : { uid, gid: uid }),
      cgroups,
      uid,
      ended: watch.ended(handle),
      spare: null,
      checkExit: () => watch.check(),
      // Where the kernel refuses it, the engine is the only owner of its socket until its next start.
      shareSocket: () => sockets.take(engineId, port, handle.pid),
    };
    return { kind: "running", process: track(parts, engineId) };
  }

  return {
    ...answers,
    catalogs,
    knowledge,
    storage: createFolderStorage({ dataDir, nodePath: settings.nodePath, folderProgram }),
    sockets,
    limitsReport: () => limitsReport(cgroups.hierarchies),
    startProblem: () => settings.snapshots?.problem ?? null,
    spares,

    expectLaunch: () => cgroups.expectMove(),
    async launch(order: LaunchOrder): Promise<EngineProcess> {
      const { engine_id: engineId, incarnation, port } = order.launch;
      await remains.gone(engineId);
      if (launched.has(incarnation)) throw new LaunchFailed("the engine's process runs already");
      launched.add(incarnation);
      const places = { cgroups, sockets };
      const spawning = spawnEngine(settings, processOrder(order, machine), places);
      spawning.catch(() => launched.delete(incarnation));
      const { identity, ended, ...spawned } = await spawning;
      untilExit(
        "exit of an engine",
        ended.then(() => launched.delete(incarnation)),
      );
      const parts = {
        ...spawned,
        ended,
        handle: makeHandle(identity, boot),
        address: engineUrl(host, port),
        cgroups,
        uid: order.uid,
        checkExit: () => undefined,
        shareSocket: () => undefined,
      };
      return track(parts, engineId);
    },

    async attach(incarnation, stored): Promise<Attached> {
      try {
        if (stored === null) {
          const root = findRoot({ runDir, cgroups }, incarnation);
          return root === null ? { kind: "gone", cause: "exit" } : adopt(makeHandle(root, boot), incarnation);
        }
        const handle = readHandle(stored);
        if (handle === null) return { kind: "unknown", reason: `the backend ${stored.backend} started it` };
        return handle.bootId === boot ? adopt(handle, incarnation) : { kind: "gone", cause: "host" };
      } catch (error) {
        return { kind: "unknown", reason: systemReason(error) };
      }
    },

    logs: ({ id }, lines) => logTail(folderOf(id), lines),
    followLogs: ({ id }, options) => followLog(folderOf(id), options),

    usage: async (processes) => usageOf(processes),
    proportionalMemory: async (processes) =>
      readProportionalMemory(processes.map(({ handle }) => shownProcess(handle).pid ?? 0)),

    endOrphans: (incarnation) => endOrphans({ runDir, cgroups }, incarnation),
    addressConflict: ({ port }) => portConflict(host, port),
    listOrphans: async (known) => findOrphans({ runDir, cgroups }, known),
  };
}

function usageOf(processes: readonly EngineProcess[]): ReadonlyMap<EngineProcess, ProcessTreeUsage> {
  const pids = processes.map(({ handle }) => shownProcess(handle).pid ?? 0);
  const usages = readUsage(pids);
  return new Map(
    processes.flatMap((process, at) => {
      const usage = usages.get(pids[at] ?? 0);
      return usage === undefined ? [] : [[process, usage]];
    }),
  );
}

async function endOrphans(
  { runDir, cgroups }: { readonly runDir: string; readonly cgroups: EngineCgroups },
  { id, uid }: Incarnation,
): Promise<StopOutcome> {
  const launchFile = launchFilePath(runDir, id);
  removeLaunchFile(launchFile);
  const tree = new ProcessTree({ root: null, launchFile, cgroup: cgroups.find(id), uid, cgroups });
  const end = await stopTree(tree, { termMs: 0, forceKill: AbortSignal.abort() });
  return end.kind === "survived" ? survivors(end.pids) : { kind: end.kind };
}
