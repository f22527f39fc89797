import t from "tap";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";
import { streamingEngine } from "./parts/streams.ts";
import { Tally } from "./parts/tally.ts";

const ENGINES = LONG ? 50 : 3;
/** Long enough that the daemon is replaced during every stream. */
const PARTS = LONG ? 3000 : 100;
const PER_SECOND = LONG ? 50 : 10;

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t);
const { product } = site;

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  t.test(
    `${signal} of the daemon cuts no stream of ${ENGINES} engines, and the next daemon adopts them all`,
    async (t) => {
      const users = Array.from({ length: ENGINES }, (_, index) => `${signal.toLowerCase()}-${index}`);
      const streams = await Promise.all(
        users.map((user) => streamingEngine(product, { user, parts: PARTS, perSecond: PER_SECOND })),
      );
      tally.tried += ENGINES;
      await site.daemon.stop(signal);
      const daemon = await site.restart();
      t.match(daemon.output(), new RegExp(`"adopted":${ENGINES},`));
      t.same(await settle(site, tally), {});
      const running = streams.filter((stream) => !stream.over());
      t.ok(running.length > 0, `${running.length} streams go on under the new daemon`);
      t.same(
        await Promise.all(streams.map(({ flaw }) => flaw)),
        users.map(() => null),
        "every stream ends complete",
      );
      for (const { user, pid } of streams) {
        t.match((await product.get(`/engines/${user}`)).body, { pid, state: "running", restarts: { count: 0 } });
      }
      t.same(await settle(site, tally), {});
      await Promise.all(users.map((user) => product.del(`/engines/${user}`)));
      t.same(await settle(site, tally), {});
    },
  );
}

t.test("the exit of an adopted engine is detected, and the engine restarts", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "adopted" });
  await site.daemon.stop("SIGKILL");
  await site.restart();
  process.kill(body.pid, "SIGKILL");
  const gone = performance.now();
  await until("it is noticed", async () => (await product.get("/engines/adopted")).body.state !== "running", 60_000);
  t.comment(`noticed after ${Math.round(performance.now() - gone)} ms`);
  await until("it runs", async () => (await product.get("/engines/adopted")).body.state === "running", 60_000);
  t.same(await settle(site, tally), {});
});
