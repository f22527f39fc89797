import { signWebhook } from "../../src/contract/orchestrator/webhook-signature.ts";
import type { RouteName } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import type { ContractCaller } from "./contract-caller.ts";

const ALICE = { user_id: "alice" };
const NOBODY = { user_id: "nobody" };

/** Calls every route of schedules and webhooks for the engine of alice. */
export async function callSchedules(caller: ContractCaller<RouteName, Route>): Promise<void> {
  const call = caller.call.bind(caller);
  const timing = { kind: "cron", cron: "0 8 * * 1-5", time_zone: "Europe/Berlin" };
  const body = { name: "briefing", timing, message: "/say good morning" };
  const { body: made } = await call("createSchedule", { path: ALICE, body, expect: 201 });
  await call("createSchedule", { path: ALICE, body: { ...body, timing: {} }, expect: "INVALID_REQUEST" });
  await call("createSchedule", { path: NOBODY, body, expect: "ENGINE_NOT_FOUND" });
  const path = { ...ALICE, schedule_id: made.id as string };
  await call("listSchedules", { path: ALICE, expect: 200 });
  await call("showSchedule", { path, expect: 200 });
  await call("changeSchedule", { path, body: { timing: { kind: "every", every_s: 3600 } }, expect: 200 });
  await call("changeSchedule", { path, body: { colour: "red" }, expect: "INVALID_REQUEST" });
  await call("runSchedule", { path, expect: 202 });
  await call("listRuns", { path, query: "?limit=1", expect: 200 });
  await call("listRuns", { path, query: "?cursor=sch_1", expect: "INVALID_REQUEST" });
  const none = { ...ALICE, schedule_id: "sch_none" };
  for (const name of ["showSchedule", "changeSchedule", "deleteSchedule", "runSchedule", "listRuns"] as const)
    await call(name, { path: none, ...(name === "changeSchedule" && { body: {} }), expect: "SCHEDULE_NOT_FOUND" });
  await call("deleteSchedule", { path, expect: 200 });
  await callWebhooks(caller);
}

async function callWebhooks(caller: ContractCaller<RouteName, Route>): Promise<void> {
  const call = caller.call.bind(caller);
  const body = { name: "inbox", template: "/say {{payload}}" };
  const { body: made } = await call("createWebhook", { path: ALICE, body, expect: 201 });
  await call("createWebhook", { path: ALICE, body: { ...body, template: "{{x}}" }, expect: "INVALID_REQUEST" });
  const path = { ...ALICE, webhook_id: made.id as string };
  await call("listWebhooks", { path: ALICE, expect: 200 });
  await call("showWebhook", { path, expect: 200 });
  await call("changeWebhook", { path, body: { requests_per_minute: 2 }, expect: 200 });
  const { body: rotated } = await call("rotateWebhookSecret", { path, body: { grace_s: 0 }, expect: 200 });
  const send = (id: string, secret: string, expect: number | string) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signWebhook(secret, { id, timestamp, body: Buffer.from("hello") });
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    return call("receiveWebhook", { path, body: "hello", headers, expect });
  };
  await send("one", rotated.secret, 202);
  await send("one", rotated.secret, 202);
  await send("two", made.secret, "INVALID_SIGNATURE");
  await send("three", rotated.secret, "RATE_LIMITED");
  await call("listWebhookRuns", { path, expect: 200 });
  await call("changeWebhook", { path, body: { enabled: false, requests_per_minute: 600 }, expect: 200 });
  await send("four", rotated.secret, "POLICY_DENIED");
  const none = { ...ALICE, webhook_id: "whk_none" };
  const changes = ["changeWebhook", "rotateWebhookSecret"];
  for (const name of [
    "showWebhook",
    "changeWebhook",
    "deleteWebhook",
    "rotateWebhookSecret",
    "listWebhookRuns",
  ] as const)
    await call(name, { path: none, ...(changes.includes(name) && { body: {} }), expect: "WEBHOOK_NOT_FOUND" });
  await call("deleteWebhook", { path, expect: 200 });
}
