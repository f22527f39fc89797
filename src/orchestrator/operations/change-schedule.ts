import { isDeepStrictEqual } from "node:util";
import type { Policy } from "../../contract/orchestrator/policy.ts";
import type { ScheduleRecord, ScheduleTiming } from "../../contract/orchestrator/schedule.ts";
import type { SchedulePatch, ScheduleRequest } from "../../contract/orchestrator/schedule-requests.ts";
import { isoTime } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { HostContext } from "../host-context.ts";
import { nextDue, timingProblem } from "../rules/due-times.ts";
import { layersOf, policyOfEngine } from "../store/planned-policy.ts";
import type { Product } from "../store/products.ts";
import { deleteSchedule as deleteRow, insertSchedule, lockSchedule, updateSchedule } from "../store/schedules.ts";
import type { ScheduleRow } from "../store/schedule-tables.ts";
import { dueTimesOf } from "../status/due-times-of.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { lookUpSchedule, scheduleNotFound } from "../status/look-up-schedule.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import { assertRunModel } from "./assert-run-model.ts";
import { assertScheduleQuota, refuseTakenName } from "./assert-schedule.ts";
import { recordScheduleChange } from "./record-schedule-change.ts";

type Host = Pick<HostContext, "db" | "events" | "alarm" | "now" | "settings" | "box">;

export interface ScheduleAddress {
  readonly userId: string;
  readonly id: string;
}

const MISSED_LIMIT = 10;
const RESCHEDULING = ["timing", "enabled", "spread_s", "ends_at"] as const;

/** Creates a schedule of an engine, also of one that sleeps or is stopped. Tested in test/end-to-end/schedules.test.ts. */
export async function createSchedule(
  host: Host,
  product: Product,
  { userId, request }: { readonly userId: string; readonly request: ScheduleRequest },
): Promise<ScheduleRecord> {
  assertNotSuspended(product);
  const engine = await getEngineRow(host, product, userId);
  const timing = checkedTiming(host, policyOfEngine(product, layersOf(engine)), request.timing);
  assertRunModel(host, { product, engine }, request.model);
  const fields = {
    id: newId("sch"),
    timing,
    enabled: request.enabled ?? true,
    spread_s: request.spread_s ?? 0,
    ends_at: dateOf(request.ends_at),
  };
  const next = nextDueOf(host, fields);
  await refuseTakenName("schedule", () =>
    host.db.transaction().execute(async (trx) => {
      await assertScheduleQuota(trx, product, engine);
      await insertSchedule(trx, {
        ...fields,
        timing: JSON.stringify(timing),
        engine_id: engine.id,
        product_id: engine.product_id,
        host_id: engine.host_id,
        name: request.name,
        message: request.message,
        task_id: request.task_id ?? null,
        agent: request.agent ?? null,
        model: request.model ?? null,
        effort: request.effort ?? null,
        missed: request.missed ?? "skip",
        missed_limit: request.missed_limit ?? MISSED_LIMIT,
        next_due: next,
      });
      const detail = { schedule_id: fields.id, kind: timing.kind };
      await recordScheduleChange(host, trx, { type: "schedule.created", engine, detail });
    }),
  );
  host.alarm.ring();
  return lookUpSchedule(host, product, { userId, id: fields.id });
}

/** Changes a schedule. Its next due time is recomputed when its times change, or it is resumed. */
export async function changeSchedule(
  host: Host,
  product: Product,
  { address: { userId, id }, patch }: { readonly address: ScheduleAddress; readonly patch: SchedulePatch },
): Promise<ScheduleRecord> {
  assertNotSuspended(product);
  const engine = await getEngineRow(host, product, userId);
  const timing = patch.timing && checkedTiming(host, policyOfEngine(product, layersOf(engine)), patch.timing);
  assertRunModel(host, { product, engine }, patch.model);
  await refuseTakenName("schedule", () =>
    host.db.transaction().execute(async (trx) => {
      const before = (await lockSchedule(trx, engine.id, id)) ?? scheduleNotFound();
      const { timing: _, ends_at: endsAt, ...same } = patch;
      const changed = {
        ...same,
        ...(endsAt !== undefined && { ends_at: dateOf(endsAt) }),
      };
      const after = { ...before, ...(changed as Partial<ScheduleRow>), ...(timing && { timing }) };
      // Keeps a due time whose runs are not written yet, unless the change affects it.
      const isRescheduled = RESCHEDULING.some((name) => !isDeepStrictEqual(after[name], before[name]));
      await updateSchedule(trx, id, {
        ...changed,
        ...(timing && { timing: JSON.stringify(timing) }),
        ...(isRescheduled && { next_due: nextDueOf(host, after) }),
      });
      const detail = { schedule_id: id, fields: Object.keys(patch) };
      await recordScheduleChange(host, trx, { type: "schedule.changed", engine, detail });
    }),
  );
  host.alarm.ring();
  return lookUpSchedule(host, product, { userId, id });
}

/** Deletes a schedule with its runs. A running turn continues. */
export async function deleteSchedule(host: Host, product: Product, { userId, id }: ScheduleAddress): Promise<void> {
  const engine = await getEngineRow(host, product, userId);
  await host.db.transaction().execute(async (trx) => {
    if ((await lockSchedule(trx, engine.id, id)) === null) scheduleNotFound();
    await deleteRow(trx, id);
    await recordScheduleChange(host, trx, { type: "schedule.deleted", engine, detail: { schedule_id: id } });
  });
}

function checkedTiming(
  host: Pick<HostContext, "now">,
  { min_schedule_interval_s: minIntervalS }: Policy,
  timing: ScheduleRequest["timing"],
): ScheduleTiming {
  const { now } = host;
  const complete: ScheduleTiming =
    timing.kind === "every" ? { ...timing, anchor_at: timing.anchor_at ?? isoTime(now()) } : timing;
  const wrong = timingProblem(complete, { now: now(), minIntervalS });
  if (wrong !== null) throw new InvalidInput(`timing.${wrong.field}`, wrong.problem);
  return complete;
}

/** Null for a paused schedule. Throws for a schedule that would never run. */
function nextDueOf(
  host: Pick<HostContext, "now">,
  schedule: Pick<ScheduleRow, "id" | "timing" | "spread_s" | "ends_at" | "enabled">,
): Date | null {
  if (!schedule.enabled) return null;
  const next = nextDue(dueTimesOf(schedule), host.now());
  if (next !== null) return new Date(next);
  const field = schedule.ends_at === null ? "timing" : "ends_at";
  throw new InvalidInput(field, "expected at least one run in the future");
}

const dateOf = (time: string | null | undefined): Date | null => (typeof time === "string" ? new Date(time) : null);
