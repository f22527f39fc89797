import { inBackground } from "../../shared/background.ts";
import type { Policy } from "../../contract/orchestrator/requests.ts";
import { memoize } from "../../shared/memoize.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";
import { RESTORE_PAUSE, runDenial } from "../rules/admission.ts";
import { dueRuns } from "../rules/due-runs.ts";
import type { ScheduleRow } from "../store/schedule-tables.ts";
import { type NewRun, insertRuns } from "../store/scheduled-runs.ts";
import { type DueScheduleRow, advanceDue, listDue } from "../store/schedules.ts";
import { executeRun } from "../supervision/execute-run.ts";
import { countRunOutcome, insertEndEvent } from "../supervision/end-run.ts";
import { dueTimesOf } from "../status/due-times-of.ts";
import { newRun } from "./new-run.ts";

const BATCH = 200;

/**
 * Writes the due runs and the next due times of their schedules in one transaction, then executes the runs. After a crash
 * before the commit the schedules are still due; after it, the next daemon finds the open runs. True when more may be due.
 * Tested in test/end-to-end/schedules.test.ts and test/faults/schedules-once.test.ts.
 */
export async function takeDueRuns(host: EngineHost & Service): Promise<boolean> {
  const due = await listDue(host.db, { hostId: host.settings.portRange.hostId, limit: BATCH });
  if (due.length === 0) return false;
  // Many schedules share a product.
  const policyOf = memoize((id: string) => host.directory.policyOf(id));
  const decided = await Promise.all(
    due.map(async (schedule) => decide(host, schedule, await policyOf(schedule.product_id))),
  );
  const runs = await host.db.transaction().execute(async (trx) => {
    const moved = await advanceDue(trx, decided);
    const inserted = await insertRuns(
      trx,
      decided.flatMap(({ id, runs }) => (moved.has(id) ? runs : [])),
    );
    for (const run of inserted) if (run.state === "missed") await insertEndEvent(host, trx, run);
    return inserted;
  });
  for (const run of runs) {
    if (run.state === "missed") await countRunOutcome(host, run);
    else inBackground("run of a schedule", executeRun(host, run));
  }
  return due.length === BATCH;
}

interface Decided {
  readonly id: string;
  readonly due: Date;
  readonly next: Date | null;
  readonly runs: readonly NewRun[];
}

/** `policy`: null of a deleted product. */
function decide(
  host: Pick<HostContext, "box" | "readiness" | "now">,
  schedule: DueScheduleRow,
  policy: Policy | null,
): Decided {
  const { id, missed, missed_limit: missedLimit, waiting } = schedule;
  const now = schedule.now.getTime();
  const due = schedule.next_due ?? schedule.now;
  const denial = policy === null ? "the product was deleted" : runDenial(policy);
  const paused = denial ?? (host.readiness.schedulesPaused ? RESTORE_PAUSE : null);
  const found = dueRuns({ times: dueTimesOf(schedule), due: due.getTime(), missed, missedLimit, waiting, paused }, now);
  const started = found.start.map((at) => newRun(host, schedule, { dueAt: at, key: new Date(at).toISOString() }));
  return {
    id,
    due,
    next: found.next === null ? null : new Date(found.next),
    runs: [...(found.missed === null ? [] : [missedRun(host, schedule, found.missed)]), ...started],
  };
}

function missedRun(
  host: Pick<HostContext, "box" | "now">,
  schedule: ScheduleRow,
  { at, reason }: { at: number; reason: string },
): NewRun {
  const run = newRun(host, schedule, { dueAt: at, key: new Date(at).toISOString() });
  return { ...run, state: "missed", error: reason, request: null, ended_at: new Date(host.now()) };
}
