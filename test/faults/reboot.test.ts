import t from "tap";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { until } from "../helpers/until.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { openSite } from "./parts/site.ts";

const site = await openSite(t, { engine: "well-behaved", env: { ORCH_BOOT_CONCURRENCY: "1" } });
const { product, db } = site;

t.test("after a reboot wanted engines restart, most recently used first", async (t) => {
  const users = ["oldest", "newest", "middle", "never", "unwanted"];
  for (const user_id of users) await product.post("/engines/provision", { user_id });
  await product.post("/engines/unwanted/stop", { force: true });
  await db.query("update engines set last_active_at = now() - interval '1 hour' where user_id = 'newest'");
  await db.query("update engines set last_active_at = now() - interval '2 hours' where user_id = 'middle'");
  await db.query("update engines set last_active_at = now() - interval '3 hours' where user_id = 'oldest'");
  // The rows after a power loss: processes of another boot.
  await site.daemon.stop("SIGKILL");
  for (const { pid } of engineProcesses(site.dataDir)) process.kill(pid, "SIGKILL");
  await until("no engine is left", () => engineProcesses(site.dataDir).length === 0);
  await db.query(`update engines set handle = handle || '{"bootId": "another-boot"}' where handle is not null`);
  await db.query("truncate events");

  const daemon = await site.restart();
  await until("all that were wanted run", async () => {
    const { body } = await product.get("/engines?state=running");
    return body.data.length === 4;
  });
  const { body } = await daemon.admin("/admin/events?limit=200");
  const running = body.data
    .toReversed()
    .filter(({ type }: EventRecord) => type === "engine.running")
    .map(({ user_id }: EventRecord) => user_id);
  t.same(running, ["newest", "middle", "oldest", "never"]);
  const types = body.data.map(({ type }: EventRecord) => type);
  t.notOk(types.includes("engine.crashed"), "it was no fault of theirs");
  const { body: list } = await product.get("/engines");
  for (const engine of list.data) t.equal(engine.restarts.count, 0, engine.user_id);
  t.match(await product.get("/engines/unwanted"), { body: { state: "stopped", desired_state: "stopped" } });
});
