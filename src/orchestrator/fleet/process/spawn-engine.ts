import { closeSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ClaimOutcome } from "../../../contract/orchestrator/spares-report.ts";
import { encodeLaunch } from "../../../contract/engine/launch.ts";
import { Releasers } from "../../../shared/releasers.ts";
import type { ProcessExit } from "../engine-backend.ts";
import { LaunchFailed, PortTaken } from "../launch-failed.ts";
import type { DelegatedCgroup } from "../../../sandbox/cgroups.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { ENGINE_LISTENER, type EngineSockets } from "../sockets/engine-sockets.ts";
import { type EngineLimits, allTasks } from "./engine-limits.ts";
import { openToAppendSync } from "../folders/engine-file.ts";
import { ENGINE_LOG } from "../logs/engine-log.ts";
import { changeOwner } from "../isolation/change-owner.ts";
import { engineUser } from "../isolation/owner.ts";
import { launchFilePath, removeLaunchFile, writeLaunchFile } from "./launch-file.ts";
import { isPortFree } from "./port-check.ts";
import type { ProcessIdentity } from "../../../sandbox/processes.ts";
import type { ProcessOrder } from "./process-order.ts";
import { claimSpare } from "./spares/claim-spare.ts";
import type { SparePool } from "./spares/spare-pool.ts";
import { type StartSettings, nodeOptions, startProcess } from "./start-process.ts";
import { systemReason } from "../system-reason.ts";

export interface SpawnSettings extends StartSettings {
  readonly runDir: string;
  /** Omitted: each engine starts a process. */
  readonly spares?: SparePool;
}

interface SpawnedEngine {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessExit>;
  readonly launchFile: string;
  readonly cgroup: DelegatedCgroup | null;
  readonly spare: ClaimOutcome | null;
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
    const text = encodeLaunch({ ...launch, ...listening, ...toolLimitsOf(order, cgroup) });
    const options = await nodeOptions(settings, order);
    const log = openToAppendSync(join(launch.data_dir, ENGINE_LOG));
    try {
      const parts = { launchFile, listener, log, owner, cgroup, options };
      const { started, spare } = claimSpare(settings.spares, order, { ...parts, text });
      if (started !== null) return { ...started, spare, cgroup, launchFile };
      writeLaunchFile(launchFile, text, owner);
      return { ...(await startProcess(settings, order, parts)), spare, cgroup, launchFile };
    } finally {
      closeSync(log);
    }
  } catch (error) {
    await undo.release();
    if (error instanceof LaunchFailed) throw error;
    throw new LaunchFailed(`failed to start the engine's process: ${systemReason(error)}`, { cause: error });
  }
}

/** The limits of an engine, from its launch file and policy. */
const limitsOf = ({ launch: { limits }, cpuWeight }: ProcessOrder): EngineLimits => ({
  maxProcesses: limits.max_processes,
  memoryMb: limits.memory_mb,
  cpuWeight,
});

/** The cgroups of its tools. Without a cgroup that limits processes, the kernel limits those of the engine's own user. */
function toolLimitsOf({ launch: { limits }, uid }: ProcessOrder, cgroup: DelegatedCgroup | null) {
  const tasks = uid === null || cgroup?.limitsProcesses() === true ? 0 : allTasks(limits.max_processes);
  return { tool_cgroups: [...(cgroup?.nestedFolders() ?? [])], ...(tasks > 0 && { user_tasks: tasks }) };
}
