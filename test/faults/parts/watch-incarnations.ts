import { setTimeout as sleep } from "node:timers/promises";
import { engineProcesses } from "./engine-processes.ts";
import type { Site } from "./site.ts";

/** How long a transient state may exceed its deadline before the reaper finishes it. */
const TOLERANCE_S = 15;

export interface Watch {
  /** The number of checks. */
  readonly checks: number;
  /** Returns violations, however brief: two incarnations of one engine, a transient state past its deadline. */
  end(): Promise<readonly unknown[]>;
}

/** Checks repeatedly during operations, crashes and restarts. */
export function watchIncarnations({ db, dataDir }: Site): Watch {
  const violations: unknown[] = [];
  let checks = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      checks++;
      violations.push(...concurrentIncarnations(dataDir));
      const late = await db.query(
        `select id, state, deadline_at from engines where deadline_at < now() - make_interval(secs => ${TOLERANCE_S})`,
      );
      violations.push(...late.rows);
      await sleep(50);
    }
  })();
  return {
    get checks() {
      return checks;
    },
    async end() {
      over.abort();
      await watching;
      return violations;
    },
  };
}

function concurrentIncarnations(dataDir: string): readonly unknown[] {
  const byEngine = Object.groupBy(engineProcesses(dataDir), ({ engineId }) => engineId);
  return Object.entries(byEngine).filter(
    ([engineId, processes = []]) =>
      engineId !== "" && new Set(processes.map(({ incarnation }) => incarnation)).size > 1,
  );
}
