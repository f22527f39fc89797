import { mock } from "node:test";
import { pino } from "pino";
import t, { type Test } from "tap";
import { type MaintenanceParts, startMaintenance } from "../../../src/engine/app/maintenance.ts";

t.beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "setInterval"] }));
t.afterEach(() => mock.timers.reset());

/** Starts the maintenance of an engine. Its work can be changed, and `collected` says how often it collected garbage. */
function start(t: Test, turns: number) {
  const collect = mock.fn();
  const slots = { size: turns, all: () => [] };
  const journal = { last: { seq: 7 }, prune: () => undefined };
  const parts = {
    provider: { name: "sandbox", load: () => Promise.resolve() },
    slots,
    journal,
    pruneTasks: () => Promise.resolve(),
    workspaceDir: t.testdir(),
    logger: pino({ level: "silent" }),
    collect,
  };
  t.teardown(startMaintenance(parts as unknown as MaintenanceParts));
  return { slots, journal, collected: () => collect.mock.callCount() };
}

t.test("an engine that stays idle releases the memory of loading once", (t) => {
  const { collected } = start(t, 0);
  mock.timers.tick(10_000);
  t.equal(collected(), 0, "not while a host boots its engines, or of one that soon sleeps again");
  mock.timers.tick(90_000);
  t.equal(collected(), 1);
  t.end();
});

t.test("a busy engine is not interrupted for a garbage collection, which follows its turns", (t) => {
  const { slots, journal, collected } = start(t, 1);
  mock.timers.tick(60_000);
  t.equal(collected(), 0);
  slots.size = 0;
  journal.last.seq++;
  mock.timers.tick(90_000);
  t.equal(collected(), 1);
  t.end();
});

t.test("an engine releases what its first turn loaded", (t) => {
  const { journal, collected } = start(t, 0);
  mock.timers.tick(60_000);
  for (let turns = 0; turns < 3; turns++) {
    journal.last.seq++;
    mock.timers.tick(90_000);
  }
  t.equal(collected(), 2, "later turns load nothing more");
  t.end();
});
