import { mock } from "node:test";
import { pino } from "pino";
import t, { type Test } from "tap";
import { type MaintenanceParts, startMaintenance } from "../../src/engine/maintenance.ts";

t.beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "setInterval"] }));
t.afterEach(() => mock.timers.reset());

/** Starts the maintenance of an engine with this many turns, and returns how often it collected garbage. */
function start(t: Test, turns: number): () => number {
  const collect = mock.fn();
  const slots = { size: turns, all: () => [] };
  const parts = {
    provider: { name: "sandbox", load: () => Promise.resolve() },
    slots,
    workspaceDir: t.testdir(),
    logger: pino({ level: "silent" }),
    collect,
  };
  t.teardown(startMaintenance(parts as unknown as MaintenanceParts));
  return () => collect.mock.callCount();
}

t.test("an engine that stays idle releases the memory of loading once", (t) => {
  const collected = start(t, 0);
  mock.timers.tick(10_000);
  t.equal(collected(), 0, "not while a host boots its engines, or of one that soon sleeps again");
  mock.timers.tick(60_000);
  t.equal(collected(), 1);
  t.end();
});

t.test("a busy engine is not interrupted for a garbage collection", (t) => {
  const collected = start(t, 1);
  mock.timers.tick(60_000);
  t.equal(collected(), 0);
  t.end();
});
