import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import type { Answer } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";
import { streamingEngine } from "./parts/streams.ts";
import { Tally } from "./parts/tally.ts";
import { watchIncarnations } from "./parts/watch-incarnations.ts";

const AWAY_MS = LONG ? 60_000 : 3000;
const STREAMS = LONG ? 10 : 3;
/** The deadline for the response to a call that needs the database. */
const PATIENCE_MS = 20_000;

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { ownServer: true });
const { product } = site;

/** Repeats calls that need the database. Returns every response and its duration. */
function load(signal: AbortSignal): Promise<{ verb: string; answer: Answer; ms: number }[]> {
  const calls: Record<string, () => Promise<Answer>> = {
    provision: () => product.post("/engines/provision", { user_id: `new-${tally.tried++}` }),
    admit: () => product.post("/engines/admit", { user_id: "stream-0" }),
    stop: () => product.post("/engines/nobody/stop"),
    list: () => product.get("/engines"),
    show: () => product.get("/engines/stream-0"),
  };
  const repeat = async ([verb, call]: [string, () => Promise<Answer>]) => {
    const answers = [];
    while (!signal.aborted) {
      const start = performance.now();
      const answer = await call();
      answers.push({ verb, answer, ms: performance.now() - start });
      await sleep(250);
    }
    return answers;
  };
  return Promise.all(Object.entries(calls).map(repeat)).then((all) => all.flat());
}

t.test(
  "without the database engines keep serving and calls get an error; afterwards everything recovers",
  async (t) => {
    const perSecond = 50;
    const parts = ((AWAY_MS + 5000) / 1000) * perSecond;
    const users = Array.from({ length: STREAMS }, (_, index) => `stream-${index}`);
    const streams = await Promise.all(users.map((user) => streamingEngine(product, { user, parts, perSecond })));
    const victim = await product.post("/engines/provision", { user_id: "victim" });
    const daemonPid = site.daemon.process.pid;

    const comeBack = await site.databaseAway();
    const over = new AbortController();
    const loaded = load(over.signal);
    process.kill(victim.body.pid, "SIGKILL");
    await until("the daemon says that it is not ready", async () => {
      const ready = await site.daemon.admin("/ready");
      return ready.status === 503 && /database/.test(ready.text);
    });
    t.equal((await site.daemon.admin("/health")).status, 200, "it is alive all the same");
    await sleep(AWAY_MS);
    over.abort();
    const answers = await loaded;
    await comeBack();

    const lost = answers.filter(({ ms }) => ms > PATIENCE_MS);
    t.same(lost, [], `${answers.length} calls were answered in time`);
    const writes = answers.filter(({ verb }) => !["list", "show"].includes(verb));
    const odd = writes.filter(({ answer }) => answer.status !== 503 || !(Number(answer.headers["retry-after"]) > 0));
    t.same(odd, [], "writes are refused with 503 and Retry-After");
    t.same(
      answers.filter(({ answer }) => ![200, 503].includes(answer.status)),
      [],
      "reads work or are refused the same way",
    );

    await until("the daemon is ready again", async () => (await site.daemon.admin("/ready")).status === 200, 30_000);
    const watch = watchIncarnations(site);
    const again = await until(
      "the engine that crashed meanwhile runs again",
      async () => {
        const { body } = await product.get("/engines/victim");
        return body.state === "running" && body.pid !== victim.body.pid && body;
      },
      60_000,
    );
    t.equal(again.id, victim.body.id);
    t.same(await settle(site, tally, { deadlineMs: 60_000 }), {});
    t.same(
      await Promise.all(streams.map(({ flaw }) => flaw)),
      users.map(() => null),
      "no stream was cut",
    );
    for (const { user, pid } of streams)
      t.equal((await product.get(`/engines/${user}`)).body.pid, pid, "the engine was not restarted");
    t.same(await watch.end(), []);
    t.equal(site.daemon.process.pid, daemonPid);
    t.equal(site.daemon.process.exitCode, null, "the daemon is the same");
    t.equal((await product.post("/engines/provision", { user_id: "later" })).status, 201, "writes succeed again");
    t.same(await settle(site, tally), {});
  },
);
