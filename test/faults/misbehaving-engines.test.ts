import { isDeepStrictEqual } from "node:util";
import t from "tap";
import { MISSES_UNHEALTHY } from "../../src/orchestrator/supervision/watch-engine.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";
import { settle } from "./parts/invariants.ts";
import { type Product, openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(LONG ? 3_600_000 : 240_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "by-user", env: { ORCH_HEALTH_INTERVAL_S: "1" } });

/** Waits for an engine state. `step` gets each state in between. */
// oxlint-disable-next-line typescript/no-explicit-any
function reaches(product: Product, user: string, wanted: (engine: any) => boolean, step?: (engine: any) => unknown) {
  const look = async () => {
    const { body } = await product.get(`/engines/${user}`);
    if (wanted(body)) return body;
    await step?.(body);
    return null;
  };
  return until(`${user} is as wanted`, look, 60_000);
}

/** Restart delays that the short form waits for. */
const WAITED = 2;

/** Skips a restart delay: sets the time of the next restart to now and starts a new daemon. */
async function skipBackOff(): Promise<void> {
  await site.daemon.stop("SIGKILL");
  await site.db.query("update engines set next_restart_at = now() where next_restart_at is not null");
  await site.restart();
}

t.test("a crash loop ends in failed after its budget, however often the daemon restarts", async (t) => {
  tally.tried++;
  const user = "crashes-after-healthy";
  const made = await site.product.post("/engines/provision", { user_id: user });
  t.equal(made.status, 201);
  const given = await reaches(
    site.product,
    user,
    ({ state }) => state === "failed",
    // The first delays are short, and a start of a daemon takes half a second of CPU time.
    ({ state, restarts }) => !LONG && state === "backoff" && restarts.count > WAITED && skipBackOff(),
  );
  t.match(given, { desired_state: "running", last_error: { phase: "run", oom: false }, stop_reason: /5 restarts/ });
  t.ok(given.restarts.count > 5, `${given.restarts.count} counted`);
  t.same(await settle(site, tally), {});
  const again = await site.product.post(`/engines/${user}/start`);
  t.equal(again.status, 200, "a request starts it all the same");
  t.equal((await site.product.del(`/engines/${user}`)).status, 200);
});

t.test("an engine that exits for invalid configuration is not restarted", async (t) => {
  tally.tried++;
  const { body } = await site.product.post("/engines/provision", { user_id: "exits-when-told" });
  await ask(body.url, "/exit/78").catch(() => null);
  const given = await reaches(site.product, "exits-when-told", ({ state }) => state === "failed");
  t.match(given, { last_error: { phase: "run", exit_code: 78, signal: null, oom: false }, restarts: { count: 0 } });
  const { body: events } = await site.product.get("/engines/exits-when-told/events?limit=200");
  t.match(
    events.data.find(({ type }: { type: string }) => type === "engine.gave_up"),
    {
      reason: "the engine's process exited with code 78: its settings are invalid; a restart does not help",
      data: { phase: "run", exit_code: 78, signal: null, log_tail: [/told to end with 78$/] },
    },
  );
  t.same(await settle(site, tally), {});
  await site.product.del("/engines/exits-when-told");
});

t.test("control characters are removed from the recorded log tail", async (t) => {
  tally.tried++;
  const { body } = await site.product.post("/engines/provision", { user_id: "dies-swearing" });
  await ask(body.url, "/die").catch(() => null);
  const given = await reaches(site.product, "dies-swearing", ({ restarts }) => restarts.count === 1);
  const [red, long] = given.last_error.log_tail.slice(-2);
  t.equal(red, "red \u{fffd} end");
  t.equal(long, `${"x".repeat(999)}…`);
  t.equal((await site.product.del("/engines/dies-swearing")).status, 200);
  t.same(await settle(site, tally), {});
});

t.test("an engine that runs out of memory restarts and is recorded as out of memory", async (t) => {
  tally.tried++;
  const small = await site.newProduct({ memory_mb: 64 });
  const { body } = await small.post("/engines/provision", { user_id: "memory-hog" });
  await ask(body.url, "/hoard").catch(() => null);
  const given = await reaches(small, "memory-hog", ({ state, pid }) => state === "running" && pid !== body.pid);
  t.match(given, { last_error: { phase: "run", oom: true }, restarts: { count: 1 } });
  t.equal((await small.del("/engines/memory-hog")).status, 200);
  t.same(await settle(site, tally), {});
});

// At the same time, for both wait for real probes.
t.test("engines that hang", { jobs: 2 }, async (t) => {
  const [first, second] = [site.product, await site.newProduct()];
  tally.tried += 2;

  const lasting = t.test(
    "for good are ended and started again, and the record says why",
    { buffered: true },
    async (t) => {
      const { body: before } = await first.post("/engines/provision", { user_id: "well-behaved" });
      process.kill(before.pid, "SIGSTOP");
      const given = await reaches(first, "well-behaved", ({ state, pid }) => state === "running" && pid !== before.pid);
      t.not(given.incarnation, before.incarnation);
      t.match(given.last_error, {
        phase: "run",
        signal: "SIGKILL",
        reason: /^no health answer for 6 probes over \d+ s \(no answer within \d+ ms\); stopped by the daemon$/,
      });
    },
  );

  const momentary = t.test("for a moment are not ended", { buffered: true }, async (t) => {
    const { body: before } = await second.post("/engines/provision", { user_id: "misses-probes" });
    await ask(before.url, `/miss/${MISSES_UNHEALTHY}`);
    const types = async () => {
      const { body } = await second.get("/engines/misses-probes/events?limit=200");
      return body.data.map(({ type }: { type: string }) => type);
    };
    const since = ["engine.running", "engine.unhealthy"];
    await until("it answers again", async () => isDeepStrictEqual((await types()).slice(0, 2), since), 60_000);
    const { body: given } = await second.get("/engines/misses-probes");
    t.equal(given.pid, before.pid);
  });

  await Promise.all([lasting, momentary]);
  t.same(await settle(site, tally), {});
  t.equal((await first.del("/engines/well-behaved")).status, 200);
  t.equal((await second.del("/engines/misses-probes")).status, 200);
});
