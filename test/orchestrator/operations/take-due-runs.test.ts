import t from "tap";
import { takeDueRuns } from "../../../src/orchestrator/operations/take-due-runs.ts";
import { createSchedule } from "../../../src/orchestrator/operations/change-schedule.ts";
import { checkDatabase } from "../../../src/orchestrator/status/checks/check-database.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { findProduct } from "../../../src/orchestrator/store/products.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { msUntilDue } from "../../../src/orchestrator/store/schedules.ts";
import { Alarm } from "../../../src/shared/alarm.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, range } from "../../helpers/records.ts";

const HOUR_MS = 3_600_000;

onEachServer(t, "the database's clock decides what is due, whatever the daemon's says", async (t, { db }) => {
  await preparePorts(db, range);
  const product = await insertedProduct(db);
  await insertedEngine(db, product.id, "anna");
  const found = await findProduct(db, product.id);
  if (found === null) throw new Error("no product");
  let aheadMs = 0;
  const host = {
    db,
    events: new EventLog(range.hostId),
    alarm: new Alarm(),
    now: () => Date.now() + aheadMs,
    settings: { portRange: range },
    directory: { policyOf: () => Promise.resolve(found.record.policy) },
    readiness: { schedulesPaused: false },
    box: new SealedBox("secret"),
    // Another daemon follows the runs.
    runs: { follow: () => null },
  } as unknown as Parameters<typeof takeDueRuns>[0];
  const at = new Date(Date.now() + HOUR_MS).toISOString();
  const request = { name: "once", timing: { kind: "at", at }, message: "/say hi" } as const;
  await createSchedule(host, found, { userId: "anna", request });
  const states = async () =>
    (await db.selectFrom("scheduled_runs").select("state").execute()).map(({ state }) => state);

  aheadMs = 2 * HOUR_MS;
  await takeDueRuns(host);
  t.same(await states(), [], "two hours ahead, nothing runs early");
  const untilMs = (await msUntilDue(db, range.hostId)) ?? 0;
  t.ok(untilMs > HOUR_MS / 2 && untilMs <= HOUR_MS + 1000, `${untilMs} ms`);

  aheadMs = -2 * HOUR_MS;
  const past = new Date(Date.now() - 1000);
  await db
    .updateTable("schedules")
    .set({ next_due: past, timing: JSON.stringify({ kind: "at", at: past.toISOString() }) })
    .execute();
  await takeDueRuns(host);
  t.same(await states(), ["waiting"], "two hours behind, it runs at its time");
  t.equal(await msUntilDue(db, range.hostId), null);
});

onEachServer(t, "the doctor says by how much the host's clock is wrong", async (t, { db }) => {
  const clockOf = async (aheadMs: number) =>
    (await checkDatabase({ db, now: () => Date.now() + aheadMs })).find(({ name }) => name === "clock");
  t.match(await clockOf(0), { status: "ok" });
  t.match(await clockOf(2 * HOUR_MS), { status: "warning", message: "is 7200 s ahead of the database's" });
  t.match(await clockOf(-10_000), { status: "warning", message: "is 10 s behind the database's", fix: /set-ntp/ });
});
