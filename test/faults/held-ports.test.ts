import t from "tap";
import { nativeProblem } from "../../src/sandbox/system/system-calls.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { startThief } from "./parts/thief.ts";

const skip = nativeProblem() ?? false;
t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "by-user" });
const thief = await startThief(t, site.dataDir);
const { product } = site;

const incarnationAt = async (url: string) => (await ask(url, "/health")).body.incarnation;
const runs = (user: string) =>
  until(`${user} runs`, async () => {
    const { body } = await product.get(`/engines/${user}`);
    return body.state === "running" && body;
  });

t.test("an engine whose port another program has gets another port", { skip }, async (t) => {
  tally.tried++;
  const made = await product.post("/engines/provision", { user_id: "well-behaved" });
  await product.post("/engines/well-behaved/stop", { force: true });
  await thief.take(made.body.port);
  const started = await product.post("/engines/well-behaved/start");
  t.equal(started.status, 200);
  t.not(started.body.port, made.body.port);
  t.equal(await incarnationAt(started.body.url), started.body.incarnation);
  const { rows } = await site.db.query("select data from events where type = 'host.port_taken'");
  t.match(rows, [{ data: { port: made.body.port, next_port: started.body.port } }]);
  t.same(await settle(site, tally), {});
  await thief.dispose();
});

t.test("while an engine restarts nobody can take its port, and calls wait for it", { skip }, async (t) => {
  tally.tried++;
  const { url, port, pid, incarnation } = await runs("well-behaved");
  process.kill(pid, "SIGKILL");
  await until("its exit is seen", async () => (await product.get("/engines/well-behaved")).body.pid !== pid);
  await t.rejects(thief.take(port), { code: "EADDRINUSE" });
  const answer = await incarnationAt(url);
  t.not(answer, incarnation);
  t.equal((await runs("well-behaved")).incarnation, answer);
  t.same(await settle(site, tally), {});
});

t.test("an adopted engine keeps its port through a crash", { skip }, async (t) => {
  tally.tried++;
  await site.daemon.stop("SIGKILL");
  await site.restart();
  const { url, pid, incarnation } = await runs("well-behaved");
  process.kill(pid, "SIGKILL");
  await until("its exit is seen", async () => (await product.get("/engines/well-behaved")).body.pid !== pid);
  const answer = await until("it answers", () => incarnationAt(url).catch(() => null));
  t.not(answer, incarnation);
  t.same(await settle(site, tally), {});
});

t.test("calls are refused once an engine is stopped, has failed or is destroyed", { skip }, async (t) => {
  tally.tried++;
  const { url, port } = await runs("well-behaved");
  await product.post("/engines/well-behaved/stop", { force: true });
  await t.rejects(ask(url, "/health"), { code: "ECONNREFUSED" }, "stopped");
  await product.post("/engines/well-behaved/start");
  t.equal((await runs("well-behaved")).port, port);
  await product.del("/engines/well-behaved");
  await t.rejects(ask(url, "/health"), { code: "ECONNREFUSED" }, "destroyed");
  const failing = await product.post("/engines/provision", { user_id: "exits-when-told" });
  await ask(failing.body.url, "/exit/78").catch(() => undefined);
  await until("it has failed", async () => (await product.get("/engines/exits-when-told")).body.state === "failed");
  await t.rejects(ask(failing.body.url, "/health"), { code: "ECONNREFUSED" }, "failed");
  t.same(await settle(site, tally), {});
});
