import { inBackground } from "../../shared/background.ts";
import type { RunRecord } from "../../contract/orchestrator/schedule.ts";
import type { EngineHost } from "../host-context.ts";
import type { Product } from "../store/products.ts";
import { insertRuns } from "../store/scheduled-runs.ts";
import { findSchedule } from "../store/schedules.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { runRecord, scheduleNotFound } from "../status/look-up-schedule.ts";
import { executeRun } from "../supervision/execute-run.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import type { ScheduleAddress } from "./change-schedule.ts";
import { newRun } from "./new-run.ts";

/** Runs a schedule now, also a paused one, without a change of its due times. Tested in test/end-to-end/schedules.test.ts. */
export async function runSchedule(
  host: EngineHost,
  product: Product,
  { userId, id }: ScheduleAddress,
): Promise<RunRecord> {
  assertNotSuspended(product);
  const engine = await getEngineRow(host, product, userId);
  const schedule = (await findSchedule(host.db, engine.id, id)) ?? scheduleNotFound();
  const [run] = await insertRuns(host.db, [newRun(host, schedule, { dueAt: host.now() })]);
  // The schedule was deleted meanwhile.
  if (run === undefined) return scheduleNotFound();
  inBackground("run of a schedule", executeRun(host, run));
  return runRecord(run);
}
