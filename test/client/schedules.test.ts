import t from "tap";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import { startFakeServer } from "../helpers/fake-server.ts";
import { QUICK } from "./wire.ts";

t.test("each call of schedules and webhooks has its route and its fields", async (t) => {
  const server = await startFakeServer(t);
  const { schedules, webhooks } = createOrchestratorClient({ url: server.url, platformKey: "orchp_x", limits: QUICK });
  const user = "a/b";
  const base = "/engines/a%2Fb";
  const page = { body: { data: [{ id: "1" }], next_cursor: null } };
  for (const kind of ["schedules", "webhooks"]) {
    server.on(`POST ${base}/${kind}`, { status: 201, body: { id: "1" } });
    server.on(`GET ${base}/${kind}`, page);
    server.on(`GET ${base}/${kind}/1`, { body: { id: "1" } });
    server.on(`PATCH ${base}/${kind}/1`, { body: { id: "1" } });
    server.on(`DELETE ${base}/${kind}/1`, { body: { deleted: true } });
    server.on(`GET ${base}/${kind}/1/runs`, page);
  }
  server.on(`POST ${base}/schedules/1/run`, { status: 202, body: { id: "run_1" } });
  server.on(`POST ${base}/webhooks/1/rotate-secret`, { body: { secret: "whsec_" } });
  const schedule = { name: "s", timing: { kind: "cron", cron: "@daily" }, message: "hi" } as const;
  await schedules.create(user, schedule);
  t.equal((await Array.fromAsync(schedules.list(user))).length, 1);
  await schedules.get(user, "1");
  await schedules.change(user, "1", { enabled: false });
  await schedules.run(user, "1");
  t.equal((await Array.fromAsync(schedules.runs(user, "1"))).length, 1);
  t.same(await schedules.delete(user, "1"), { deleted: true });
  await webhooks.create(user, { name: "w", template: "{{payload}}" });
  await Array.fromAsync(webhooks.list(user));
  await webhooks.get(user, "1");
  await webhooks.change(user, "1", { requests_per_minute: 5 });
  t.equal((await webhooks.rotateSecret(user, "1", { graceS: 60 })).secret, "whsec_");
  await Array.fromAsync(webhooks.runs(user, "1"));
  await webhooks.delete(user, "1");
  t.same(
    server.calls.map(({ method, path }) => `${method} ${path.replace(base, "")}`),
    [
      "POST /schedules",
      "GET /schedules?limit=200",
      "GET /schedules/1",
      "PATCH /schedules/1",
      "POST /schedules/1/run",
      "GET /schedules/1/runs?limit=200",
      "DELETE /schedules/1",
      "POST /webhooks",
      "GET /webhooks?limit=200",
      "GET /webhooks/1",
      "PATCH /webhooks/1",
      "POST /webhooks/1/rotate-secret",
      "GET /webhooks/1/runs?limit=200",
      "DELETE /webhooks/1",
    ],
  );
  const bodies = server.calls.filter(({ method }) => method === "POST" || method === "PATCH").map(({ body }) => body);
  t.same(bodies, [
    schedule,
    { enabled: false },
    {},
    { name: "w", template: "{{payload}}" },
    { requests_per_minute: 5 },
    { grace_s: 60 },
  ]);
});
