import { setTimeout as sleep } from "node:timers/promises";
import { CliFailure } from "../exit-codes.ts";
import {
  type FailureRates,
  type RolledEngine,
  batchSizes,
  failureRates,
  isOutdated,
  rolloutProblem,
} from "./rollout-rule.ts";

/** The calls of the daemon that a rollout needs. */
export interface Fleet {
  /** The daemon's version. */
  version(): Promise<string>;
  list(): Promise<readonly RolledEngine[]>;
  /** Resolves when the engine runs again. */
  restart(id: string): Promise<void>;
}

interface RolloutOptions {
  /** Engines that restart at the same time. */
  readonly parallel: number;
  /** How long a batch runs before it is assessed. */
  readonly watchMs: number;
  readonly report: (progress: RolloutProgress) => void;
}

export interface RolloutProgress {
  readonly version: string;
  readonly restarted: number;
  readonly total: number;
  readonly failures: FailureRates;
}

/**
 * Restarts the outdated engines batch by batch. Throws when the new version fails more often than the old one. The loop
 * keeps nothing: the engines' versions tell how far it got, so the next one continues, also after a rollback.
 */
export async function rollOut(fleet: Fleet, { parallel, watchMs, report }: RolloutOptions): Promise<RolloutProgress> {
  const version = await fleet.version();
  const engines = await fleet.list();
  const before = new Map(engines.map(({ id, restarts }) => [id, restarts.count]));
  const outdated = engines.filter((engine) => isOutdated(engine, version)).map(({ id }) => id);
  const rolled = new Set<string>();
  const rates = async () => failureRates(await fleet.list(), { wanted: version, rolled, before });
  let failures = await rates();
  for (const size of batchSizes(outdated.length)) {
    await restartAll(fleet, { ids: outdated.slice(rolled.size, rolled.size + size), rolled, before, parallel });
    await sleep(watchMs);
    failures = await rates();
    report({ version, restarted: rolled.size, total: outdated.length, failures });
    const problem = rolloutProblem(failures, version);
    if (problem !== null) throw stopped(problem);
  }
  return { version, restarted: rolled.size, total: outdated.length, failures };
}

const stopped = (problem: string): CliFailure =>
  new CliFailure(
    "unavailable",
    `the rollout stops: ${problem}`,
    null,
    "orchctl engines show says why one failed; orchctl rollback and the same command go back, the same command alone goes on",
  );

/** A failed restart is counted by the engine's state. The rest of the batch continues. */
async function restartAll(
  fleet: Fleet,
  {
    ids,
    rolled,
    before,
    parallel,
  }: { ids: readonly string[]; rolled: Set<string>; before: Map<string, number>; parallel: number },
): Promise<void> {
  const waiting = ids.values();
  const lane = async () => {
    for (const id of waiting) {
      rolled.add(id);
      // The daemon forgets earlier crashes with the restart.
      before.set(id, 0);
      await fleet.restart(id);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
