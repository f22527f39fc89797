import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { untilExit } from "../../../../shared/background.ts";
import { isSparePath } from "../../../../contract/engine/spare.ts";
import { sendSignal, isAlive, listProcesses, startArguments } from "../../../../sandbox/processes.ts";
import { nativeProblem } from "../../../../sandbox/sockets.ts";
import type { Logger } from "../../../../shared/logger.ts";
import { hasSnapshot } from "../engine-snapshots.ts";
import { daemonUser } from "../../isolation/owner.ts";
import { makeTraversable } from "../../isolation/file-modes.ts";
import { type StartSettings, engineEnvironment, nodeOptions } from "../start-process.ts";
import { SparePool } from "./spare-pool.ts";
import { SpareProcess } from "./spare-process.ts";

export interface WarmEngines {
  /** `ORCH_WARM_ENGINES` */
  readonly target: number;
  /** The settings and the memory of the launches that are expected first. */
  readonly settings: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  /** How many boots could start now without waiting. They have priority. */
  readonly freeBoots: () => number;
  /** How many spares fit beside the engines that are awake. */
  readonly fitting: () => number;
}

export const NO_WARM_ENGINES: WarmEngines = {
  target: 0,
  settings: {},
  memoryMb: 0,
  freeBoots: () => 0,
  fitting: () => 0,
};

/** Kills the spares of an earlier daemon, and starts to keep new ones ready. */
export function openSpares(
  processes: StartSettings & { readonly runDir: string },
  {
    target,
    settings,
    memoryMb,
    logger,
    ...room
  }: WarmEngines & { readonly hasMemory: () => Promise<boolean>; readonly logger: Logger },
): SparePool {
  const { nodePath, engineEntry, runDir, snapshots } = processes;
  makeTraversable(runDir);
  killOldSpares(runDir);
  const pool = new SparePool({
    target: nativeProblem() === null ? target : 0,
    start: (kind) => {
      const environment = engineEnvironment(processes, daemonUser());
      const spare = new SpareProcess({ nodePath, engineEntry, runDir, environment, nodeOptions: kind.nodeOptions });
      untilExit(
        "exit of a spare",
        spare.exited.then(({ code }) => snapshots?.exited(code)),
      );
      return spare;
    },
    firstKind: async () => {
      const options = await nodeOptions(processes, { launch: { settings }, memoryMb });
      return hasSnapshot(options) ? { nodeOptions: options } : null;
    },
    ...room,
    logger,
  });
  pool.open();
  return pool;
}

/**
 * Kills the spares of an earlier daemon, and removes their files in the run folder. It runs before this daemon looks for
 * engines, so that a spare in the middle of a claim is either an engine by then, or gone.
 */
function killOldSpares(runDir: string): void {
  for (const one of listProcesses()) {
    const path = startArguments(one.pid).find((argument) => isSparePath(argument));
    // I3 identity before signal: the arguments name this daemon's run folder.
    if (path !== undefined && dirname(path) === runDir && isAlive(one)) sendSignal(one.pid, "SIGKILL");
  }
  for (const name of readdirSync(runDir))
    if (isSparePath(name)) rmSync(join(runDir, name), { recursive: true, force: true });
}
