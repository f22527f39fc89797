import PQueue from "p-queue";
import { delay } from "../../shared/clock.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { productsToldOfTurns } from "../store/turn-notices.ts";
import { collectNotices, readNotices } from "./collect-notices.ts";
import { inSleepLane } from "./sleep-lane.ts";

type Host = Pick<HostContext, "db" | "events" | "live" | "lanes" | "logger" | "stopping">;

const INTERVAL_MS = 1000;
const CONCURRENCY = 32;
/** At most a tenth of the time is spent asking. */
const REST_PER_ROUND = 9;

/**
 * Asks the running engines of products that want to know of turns every second, until the daemon stops. Notices of others
 * are read with their status.
 */
export async function followTurnNotices(host: Host): Promise<void> {
  let waitMs = INTERVAL_MS;
  while (await delay(waitMs, host.stopping)) {
    const startedAt = performance.now();
    try {
      const products = await productsToldOfTurns(host.db);
      const engines = host.live.all().filter(({ productId }) => products.has(productId));
      const queue = new PQueue({ concurrency: CONCURRENCY });
      await queue.addAll(engines.map((live) => () => follow(host, live)));
    } catch (error) {
      // Most often the database is unavailable. The engines keep their notices.
      host.logger.warn({ err: error }, "failed to read the notices of engines");
    }
    waitMs = Math.max(INTERVAL_MS, (performance.now() - startedAt) * REST_PER_ROUND);
  }
}

/** A connection to an engine that falls asleep would wake it. */
const follow = (host: Host, live: LiveEngine): Promise<void> =>
  inSleepLane(host, live.id, async () => {
    if (host.live.get(live.id) !== live || live.isStopping || live.consecutiveFailures > 0) return;
    await collectNotices(host, live, await readNotices(live));
  });
