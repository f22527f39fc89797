import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { until } from "../helpers/until.ts";
import { openSite } from "./parts/site.ts";

const STALL_MS = 4000;
const site = await openSite(t, { engine: "well-behaved", env: { ORCH_HEALTH_INTERVAL_S: "1" } });
const { product, daemon } = site;

t.test("a stalled daemon declares no engine unhealthy", async (t) => {
  const users = ["a", "b", "c"];
  const made = await Promise.all(users.map((user_id) => product.post("/engines/provision", { user_id })));
  const probed = async () => {
    const { body } = await product.get("/engines");
    return body.data.map((engine: { health: { last_ok_at: string } }) => Date.parse(engine.health.last_ok_at));
  };
  const pid = daemon.process.pid ?? 0;
  for (let stall = 0; stall < 2; stall++) {
    process.kill(pid, "SIGSTOP");
    // The pause is the fault itself.
    await sleep(STALL_MS);
    process.kill(pid, "SIGCONT");
    const since = Date.now();
    await until("all have been probed again", async () => (await probed()).every((at: number) => at > since));
  }
  const { body } = await daemon.admin("/admin/events?limit=200");
  const types = new Set(body.data.map((event: EventRecord) => event.type));
  t.notOk(types.has("engine.unhealthy") || types.has("engine.crashed"), [...types].join(" "));
  const now = await product.get("/engines");
  t.same(
    new Set(now.body.data.map((engine: { pid: number }) => engine.pid)),
    new Set(made.map((answer) => answer.body.pid)),
  );
});
