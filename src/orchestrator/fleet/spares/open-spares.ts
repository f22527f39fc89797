import type { Logger } from "../../../shared/logger.ts";
import { nativeProblem } from "../../../shared/linux/system-calls.ts";
import { hasSnapshot } from "../engine-snapshots.ts";
import { daemonUser } from "../isolation/owner.ts";
import { makeTraversable } from "../isolation/file-modes.ts";
import { type StartSettings, engineEnvironment, nodeOptions } from "../start-process.ts";
import { endLeftovers } from "./end-leftovers.ts";
import { SparePool } from "./spare-pool.ts";
import { SpareProcess } from "./spare-process.ts";

export interface WarmEngines {
  /** `ORCH_WARM_ENGINES` */
  readonly target: number;
  /** The settings and the memory of the launches that are expected first. */
  readonly settings: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  /** Whether boots run or wait: they go first. */
  readonly isBusy: () => boolean;
}

export const NO_WARM_ENGINES: WarmEngines = { target: 0, settings: {}, memoryMb: 0, isBusy: () => false };

/** Ends what an earlier daemon has left, and starts to keep spares ready. */
export function openSpares(
  processes: StartSettings & { readonly runDir: string },
  { target, settings, memoryMb, isBusy, logger }: WarmEngines & { readonly logger: Logger },
): SparePool {
  const { nodePath, engineEntry, runDir, snapshots } = processes;
  makeTraversable(runDir);
  endLeftovers(runDir);
  const pool = new SparePool({
    target: nativeProblem() === null ? target : 0,
    start: (kind) => {
      const environment = engineEnvironment(processes, daemonUser());
      const spare = new SpareProcess({ nodePath, engineEntry, runDir, environment, nodeOptions: kind.nodeOptions });
      void spare.exited.then(({ code }) => snapshots?.exited(code));
      return spare;
    },
    firstKind: async () => {
      const options = await nodeOptions(processes, { launch: { settings }, memoryMb });
      return hasSnapshot(options) ? { nodeOptions: options } : null;
    },
    isBusy,
    logger,
  });
  pool.open();
  return pool;
}
