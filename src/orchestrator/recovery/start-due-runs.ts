import { setImmediate as nextLoop } from "node:timers/promises";
import { inBackground } from "../../shared/background.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { takeDueRuns } from "../operations/take-due-runs.ts";
import { msUntilDue } from "../store/schedules.ts";
import { listOpenRuns } from "../store/scheduled-runs.ts";
import { executeRun } from "../supervision/execute-run.ts";

/** The longest wait before the database's clock is read again: it may be set, or this host be suspended. */
const READ_CLOCK_MS = 10_000;
/** How often open runs are resumed: their engine may run again by then. */
const RESUME_MS = 60_000;
const RETRY_MS = 2000;
const PAGE = 500;

/**
 * Starts due runs at their times until the daemon stops. One timer serves all schedules. The database's clock decides, so
 * that a leader whose clock is wrong runs them neither early nor late.
 */
export async function startDueRuns(host: EngineHost & Service): Promise<void> {
  const { alarm, stopping, logger } = host;
  let resumeAt = 0;
  while (!stopping.aborted) {
    let waitMs = RETRY_MS;
    try {
      while (await takeDueRuns(host)) await nextLoop();
      if (performance.now() >= resumeAt) {
        await resumeOpenRuns(host);
        resumeAt = performance.now() + RESUME_MS;
      }
      const dueMs = await msUntilDue(host.db, host.settings.portRange.hostId);
      waitMs = Math.min(Math.max(Math.ceil(dueMs ?? READ_CLOCK_MS), 1), READ_CLOCK_MS);
    } catch (error) {
      logger.warn({ err: error }, "failed to start due runs");
    }
    await alarm.wait(waitMs, stopping);
  }
}

/** Executes the open runs that are not followed, also those of an earlier daemon. */
async function resumeOpenRuns(host: EngineHost): Promise<void> {
  const { hostId } = host.settings.portRange;
  for (let after = ""; ;) {
    const runs = await listOpenRuns(host.db, { hostId, after, limit: PAGE });
    for (const run of runs) inBackground("run of a schedule", executeRun(host, run));
    if (runs.length < PAGE) return;
    after = runs.at(-1)?.id ?? after;
    await nextLoop();
  }
}
