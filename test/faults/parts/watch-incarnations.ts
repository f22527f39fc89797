import { setTimeout as sleep } from "node:timers/promises";
import { engineProcesses } from "./engine-processes.ts";
import type { Site } from "./site.ts";

/** What a passing state may be over its deadline before the sweep has come by. */
const SLACK_S = 15;

export interface Watch {
  /** Looks that were taken. */
  readonly looks: number;
  /** What must never be, however short: two lives of one engine, a passing state past its deadline. */
  end(): Promise<readonly unknown[]>;
}

/** Looks on while operations, crashes and restarts go on. */
export function watchLives({ db, dataDir }: Site): Watch {
  const seen: unknown[] = [];
  let looks = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      looks++;
      seen.push(...twoLives(dataDir));
      const late = await db.query(
        `select id, state, deadline_at from engines where deadline_at < now() - make_interval(secs => ${SLACK_S})`,
      );
      seen.push(...late.rows);
      await sleep(50);
    }
  })();
  return {
    get looks() {
      return looks;
    },
    async end() {
      over.abort();
      await watching;
      return seen;
    },
  };
}

function twoLives(dataDir: string): readonly unknown[] {
  const byEngine = Object.groupBy(engineProcesses(dataDir), ({ engineId }) => engineId);
  return Object.entries(byEngine).filter(
    ([engineId, lives = []]) => engineId !== "" && new Set(lives.map(({ incarnation }) => incarnation)).size > 1,
  );
}
