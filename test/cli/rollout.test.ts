import t from "tap";
import { type Fleet, type RolloutProgress, rollOut } from "../../cli/rollout/roll-out.ts";
import {
  type RolledEngine,
  batchSizes,
  failureRates,
  isOutdated,
  rolloutProblem,
} from "../../cli/rollout/rollout-rule.ts";

const engine = (id: string, version: string, more: Partial<RolledEngine> & { count?: number } = {}): RolledEngine => ({
  id,
  version,
  state: more.state ?? "running",
  restarts: { count: more.count ?? 0, window_started_at: null, next_at: null },
  usage: more.usage ?? null,
});
const after = (turns: number, failed_turns: number): Pick<RolledEngine, "usage"> => ({
  usage: {
    cpu_percent: null,
    memory_mb: 80,
    disk_mb: null,
    active_turns: 0,
    work: { turns, failed_turns, tokens: 0 },
    sampled_at: "2026-11-01T12:00:00.000Z",
  },
});

/** A daemon of version 2 whose engines have version 1. `breaks` tells which fail after their restart. */
function fakeFleet(size: number, breaks: (at: number) => boolean = () => false) {
  const engines = Array.from({ length: size }, (_, at) => engine(`e${at}`, "1"));
  const restarts: string[] = [];
  const [seen, running] = [{ most: 0 }, new Set<string>()];
  const fleet: Fleet = {
    version: () => Promise.resolve("2"),
    list: () => Promise.resolve([...engines]),
    async restart(id) {
      restarts.push(id);
      running.add(id);
      seen.most = Math.max(seen.most, running.size);
      await new Promise(setImmediate);
      running.delete(id);
      const at = engines.findIndex((one) => one.id === id);
      engines[at] = engine(id, "2", breaks(at) ? { state: "backoff", count: 1 } : {});
    },
  };
  return { fleet, engines, restarts, seen };
}
const options = { parallel: 3, watchMs: 0, report: () => undefined };

t.test("the batches are one engine, then up to 5 %, 25 % and all", async (t) => {
  t.same(batchSizes(100), [1, 4, 20, 75]);
  t.same(batchSizes(1000), [1, 49, 200, 750]);
  t.same([0, 1, 2, 5].map(batchSizes), [[], [1], [1, 1], [1, 1, 3]]);
});

t.test("running engines of another version are outdated; one that sleeps is not", async (t) => {
  t.ok(isOutdated(engine("a", "1"), "2"));
  t.ok(isOutdated(engine("a", "1", { state: "unhealthy" }), "2"));
  t.notOk(isOutdated(engine("a", "2"), "2"));
  for (const state of ["sleeping", "stopped", "failed"] as const) t.notOk(isOutdated(engine("a", "1", { state }), "2"));
});

t.test("the rollout stops when the new version fails more often than the old one, not when both do", async (t) => {
  const before = new Map([["c", 2]]);
  const rates = failureRates(
    [engine("a", "2", { state: "failed" }), engine("b", "2"), engine("c", "1", { count: 2 }), engine("d", "1")],
    { wanted: "2", rolled: new Set(["a", "b"]), before },
  );
  const turns = { new: { failed: 0, of: 0 }, old: { failed: 0, of: 0 } };
  t.same(rates, { new: { failed: 1, of: 2 }, old: { failed: 0, of: 2 }, turns });
  t.equal(rolloutProblem(rates, "2"), "1 of 2 engines of 2 failed, and 0 of 2 of other versions");
  t.equal(rolloutProblem({ new: { failed: 1, of: 4 }, old: { failed: 2, of: 8 }, turns }, "2"), null);
  t.equal(rolloutProblem({ new: { failed: 0, of: 4 }, old: { failed: 0, of: 0 }, turns }, "2"), null);
});

t.test("the rollout stops when more of the new version's turns fail, from three failed turns on", async (t) => {
  const judge = (now: readonly [number, number], then: readonly [number, number]) => {
    const engines = [engine("a", "2", after(...now)), engine("b", "2"), engine("c", "1", after(...then))];
    const options = { wanted: "2", rolled: new Set(["a", "b"]), before: new Map<string, number>() };
    return rolloutProblem(failureRates(engines, options), "2");
  };
  t.equal(judge([10, 3], [100, 20]), "3 of 10 turns of 2 failed, and 20 of 100 of other versions");
  t.equal(judge([10, 2], [100, 10]), null);
  t.equal(judge([10, 3], [100, 40]), null, "as with a provider that is down");
  t.match(judge([3, 3], [0, 0]), /^3 of 3 turns/);
});

t.test(
  "every outdated engine is restarted once, a few at a time, and progress is reported after each batch",
  async (t) => {
    const { fleet, engines, restarts, seen } = fakeFleet(40);
    engines.push(engine("asleep", "1", { state: "sleeping" }), engine("new", "2"));
    const reports: RolloutProgress[] = [];
    const { total } = await rollOut(fleet, { ...options, report: (progress) => reports.push(progress) });
    t.same([total, restarts.length, new Set(restarts).size, seen.most], [40, 40, 40, 3]);
    t.same(
      reports.map(({ restarted }) => restarted),
      [1, 2, 10, 40],
    );
  },
);

t.test("a version that fails at once costs one engine", async (t) => {
  const { fleet, restarts } = fakeFleet(40, () => true);
  const failure = {
    exit: "unavailable",
    message: /the rollout stops: 1 of 1 engines of 2 failed, and 0 of 39 of other/,
  };
  await t.rejects(rollOut(fleet, options), failure);
  t.equal(restarts.length, 1);
});

t.test("a rollout that was stopped continues with the engines that are left", async (t) => {
  const broken = new Set([5]);
  const { fleet, engines, restarts } = fakeFleet(40, (at) => broken.has(at));
  await t.rejects(rollOut(fleet, options), { message: /1 of 10 engines/ });
  t.equal(restarts.length, 10);
  broken.clear();
  engines[5] = engine("e5", "2");
  t.equal((await rollOut(fleet, options)).total, 30);
  t.equal(new Set(restarts).size, 40);
});
