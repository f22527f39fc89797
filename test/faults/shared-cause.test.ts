import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { until } from "../helpers/until.ts";
import { openSite } from "./parts/site.ts";

const ENGINES = 8;
const site = await openSite(t, { engine: "shares-a-cause" });
const { product, daemon } = site;

async function events(type: string): Promise<EventRecord[]> {
  const { body } = await daemon.admin("/admin/events?limit=200");
  return body.data.filter((event: EventRecord) => event.type === type);
}

t.test("many failures at once pause restarts, are reported once, and restarts resume", async (t) => {
  const users = Array.from({ length: ENGINES }, (_, at) => `user-${at}`);
  const made = await Promise.all(users.map((user_id) => product.post("/engines/provision", { user_id })));
  const broken = join(site.dataDir, "broken");
  writeFileSync(broken, "");
  for (const { body } of made) process.kill(body.pid, "SIGKILL");
  await until("the breaker is open", async () => (await daemon.admin("/admin/status")).body.breaker === "open");
  const opened = await events("host.breaker_opened");
  t.equal(opened.length, 1);
  t.match(opened[0], { actor: "orchd", data: { wanted: Number, failing: Number } });
  t.equal((await product.get("/engines")).status, 200, "it keeps serving");
  await until("every end is written down", async () => (await events("engine.crashed")).length >= ENGINES);

  // Only single engines are tried, so that the others keep their restart budgets.
  await until("one is tried", async () => (await events("engine.restarting")).length > 0, 30_000);
  const { body } = await product.get("/engines");
  const counts: number[] = body.data.map((engine: { restarts: { count: number } }) => engine.restarts.count);
  t.ok(counts.filter((count) => count > 1).length <= 2, `restarts counted: ${counts.join(" ")}`);

  rmSync(broken);
  await until(
    "all run again",
    async () => {
      const list = await product.get("/engines");
      return list.body.data.every((engine: { running: boolean }) => engine.running);
    },
    60_000,
  );
  t.equal((await events("host.breaker_closed")).length, 1);
  t.equal((await events("host.breaker_opened")).length, 1);
  t.equal((await daemon.admin("/admin/status")).body.breaker, "closed");
});
