import t from "tap";
import { type BreakerTransition, FleetBreaker } from "../../../src/orchestrator/supervision/fleet-breaker.ts";
import { BREAKER_RULE, isSharedFailure, trialDelayMs } from "../../../src/orchestrator/rules/shared-failure.ts";
import { until } from "../../helpers/until.ts";

const RULE = { ...BREAKER_RULE, firstTrialMs: 30, maxTrialMs: 60 };
const engines = (count: number): string[] => Array.from({ length: count }, (_, at) => `eng_${at}`);

function breaker(rule = RULE) {
  const news: BreakerTransition[] = [];
  return { breaker: new FleetBreaker((one) => news.push(one), rule), news };
}

t.test("the breaker opens at 5 failing engines and more than 30 % of the wanted ones", async (t) => {
  t.notOk(isSharedFailure(4, 4));
  t.ok(isSharedFailure(5, 16));
  t.notOk(isSharedFailure(5, 17));
  t.notOk(isSharedFailure(60, 200));
  t.ok(isSharedFailure(61, 200));
  t.same(
    [0, 1, 2, 3, 4, 9].map((trials) => trialDelayMs(trials)),
    [5000, 10_000, 20_000, 40_000, 60_000, 60_000],
  );
});

t.test("repeated failures of one engine count once", async (t) => {
  const { breaker: one, news } = breaker();
  for (let crash = 0; crash < 50; crash++) one.recordFailure("eng_0", new Set());
  t.same(news, []);
  t.ok(await one.waitForPermit(new AbortController().signal), "restarts go on");
});

t.test("while open, restarts wait and single ones are tried; the first healthy one closes it", async (t) => {
  const { breaker: fleet, news } = breaker();
  const ids = engines(6);
  for (const id of ids) fleet.recordFailure(id, new Set(["eng_live"]));
  t.match(news, [{ kind: "opened", failing: 5, wanted: 6 }], "reported once");
  const passed: string[] = [];
  const { signal } = new AbortController();
  const waiting = ids.map(async (id) => {
    await fleet.waitForPermit(signal);
    passed.push(id);
  });
  await until("one is tried", () => passed.length > 0);
  t.equal(passed.length, 1);
  fleet.recordFailure(passed[0] ?? "", new Set(["eng_live"]));
  await until("another is tried", () => passed.length > 1);
  t.equal(passed.length, 2);
  t.ok(fleet.isOpen);
  fleet.recordHealthy(passed[1] ?? "");
  await Promise.all(waiting);
  t.equal(passed.length, 6);
  t.match(news[1], { kind: "closed" });
  t.equal(news.length, 2);
});

t.test("it closes after a window without failures", async (t) => {
  const { breaker: calm, news } = breaker({ ...RULE, windowMs: 50 });
  for (const id of engines(5)) calm.recordFailure(id, new Set());
  await until("it has closed", () => !calm.isOpen);
  t.same(
    news.map(({ kind }) => kind),
    ["opened", "closed"],
  );
});

t.test("waiting restarts are released when the daemon stops", async (t) => {
  const { breaker: open } = breaker({ ...RULE, firstTrialMs: 60_000, maxTrialMs: 60_000 });
  for (const id of engines(5)) open.recordFailure(id, new Set());
  const stopping = new AbortController();
  const passed = open.waitForPermit(stopping.signal);
  stopping.abort();
  t.equal(await passed, false);
});
