import type { HostContext } from "../host-context.ts";
import { runDenial } from "../rules/admission.ts";
import { dueRuns } from "../rules/due-runs.ts";
import type { ScheduleRow } from "../store/schedule-tables.ts";
import { type NewRun, insertRuns } from "../store/scheduled-runs.ts";
import { advanceDue, listDue } from "../store/schedules.ts";
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
export async function takeDueRuns(host: HostContext): Promise<boolean> {
  const now = host.now();
  const due = await listDue(host.db, { hostId: host.settings.portRange.hostId, now: new Date(now), limit: BATCH });
  if (due.length === 0) return false;
  const decided = await Promise.all(due.map((schedule) => decide(host, schedule, now)));
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
    else void executeRun(host, run);
  }
  return due.length === BATCH;
}

interface Decided {
  readonly id: string;
  readonly due: Date;
  readonly next: Date | null;
  readonly runs: readonly NewRun[];
}

async function decide(
  host: HostContext,
  schedule: ScheduleRow & { readonly waiting: number },
  now: number,
): Promise<Decided> {
  const { id, missed, missed_limit: missedLimit, waiting } = schedule;
  const policy = await host.directory.policyOf(schedule.product_id);
  const due = schedule.next_due ?? new Date(now);
  const paused = policy === null ? "the product was deleted" : runDenial(policy);
  const found = dueRuns({ times: dueTimesOf(schedule), due: due.getTime(), missed, missedLimit, waiting, paused }, now);
  const started = found.start.map((at) => newRun(host, schedule, { dueAt: at, key: new Date(at).toISOString() }));
  return {
    id,
    due,
    next: found.next === null ? null : new Date(found.next),
    runs: [...(found.missed === null ? [] : [missedRun(host, schedule, found.missed)]), ...started],
  };
}

function missedRun(host: HostContext, schedule: ScheduleRow, { at, reason }: { at: number; reason: string }): NewRun {
  const run = newRun(host, schedule, { dueAt: at, key: new Date(at).toISOString() });
  return { ...run, state: "missed", error: reason, request: null, ended_at: new Date(host.now()) };
}
