import { setImmediate as nextLoop } from "node:timers/promises";
import type { HostContext } from "../host-context.ts";
import { takeDueRuns } from "../operations/take-due-runs.ts";
import { earliestDue } from "../store/schedules.ts";
import { listOpenRuns } from "../store/scheduled-runs.ts";
import { executeRun } from "../supervision/execute-run.ts";

/** How often open runs are resumed: their engine may run again by then. */
const RESUME_MS = 60_000;
const RETRY_MS = 2000;
const PAGE = 500;

/** Starts due runs at their times until the daemon stops. One timer serves all schedules. */
export async function startDueRuns(host: HostContext): Promise<void> {
  const { alarm, now, stopping, logger } = host;
  let resumeAt = 0;
  while (!stopping.aborted) {
    let wakeAt = now() + RETRY_MS;
    try {
      while (await takeDueRuns(host)) await nextLoop();
      if (now() >= resumeAt) {
        await resumeOpenRuns(host);
        resumeAt = now() + RESUME_MS;
      }
      const due = await earliestDue(host.db, host.settings.portRange.hostId);
      wakeAt = Math.min(due?.getTime() ?? Infinity, resumeAt);
    } catch (error) {
      logger.warn({ err: error }, "failed to start due runs");
    }
    await alarm.wait(wakeAt, stopping);
    // The clock may have been set back.
    resumeAt = Math.min(resumeAt, now() + RESUME_MS);
  }
}

/** Executes the open runs that are not followed, also those of an earlier daemon. */
async function resumeOpenRuns(host: HostContext): Promise<void> {
  const { hostId } = host.settings.portRange;
  for (let after = ""; ;) {
    const runs = await listOpenRuns(host.db, { hostId, after, limit: PAGE });
    for (const run of runs) void executeRun(host, run);
    if (runs.length < PAGE) return;
    after = runs.at(-1)?.id ?? after;
    await nextLoop();
  }
}
