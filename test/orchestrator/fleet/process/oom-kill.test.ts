import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { hostOomKills, killedForMemory } from "../../../../src/sandbox/processes/oom-kill.ts";
import { oomKillCount } from "../../../../src/sandbox/cgroups/cgroup-folder.ts";
import { healthy, testFleet, urlOf, pidOf } from "../../../helpers/fleet.ts";

const killed = { code: null, signal: "SIGKILL" } as const;
const unknownExit = { code: null, signal: null } as const;
const none = { own: null, host: null } as const;

t.test("a foreign SIGKILL with a host OOM kill counts as out of memory", async (t) => {
  const counts = { before: { own: null, host: 3 }, after: { own: null, host: 4 } };
  t.ok(killedForMemory({ end: killed, stopping: false, ...counts }));
  t.notOk(killedForMemory({ end: killed, stopping: true, ...counts }), "it was ours");
  t.notOk(killedForMemory({ end: { code: 1, signal: null }, stopping: false, ...counts }), "it exited");
  t.notOk(killedForMemory({ end: { code: null, signal: "SIGSEGV" }, stopping: false, ...counts }), "it crashed");
  t.notOk(killedForMemory({ end: unknownExit, stopping: false, ...counts }), "the host's count alone proves nothing");
});

t.test("a SIGKILL without an OOM kill does not", async (t) => {
  const counts = { own: null, host: 3 };
  t.notOk(killedForMemory({ end: killed, stopping: false, before: counts, after: counts }));
  t.notOk(
    killedForMemory({ end: killed, stopping: false, before: none, after: none }),
    "without counters it is not an OOM kill",
  );
});

t.test("the count of the engine's cgroup takes precedence over the host's", async (t) => {
  const host = { before: 3, after: 9 };
  const counts = (before: number, after: number) => ({
    before: { own: before, host: host.before },
    after: { own: after, host: host.after },
  });
  t.notOk(killedForMemory({ end: killed, stopping: false, ...counts(1, 1) }), "another's engine was killed");
  t.ok(killedForMemory({ end: killed, stopping: false, ...counts(1, 2) }));
  t.ok(
    killedForMemory({ end: unknownExit, stopping: false, ...counts(0, 1) }),
    "an adopted engine's signal is unknown",
  );
  t.notOk(killedForMemory({ end: { code: 1, signal: null }, stopping: false, ...counts(0, 1) }), "a child was killed");
});

t.test("the counts of the kernel are read, and missing files count nothing", async (t) => {
  const events = join(t.testdir({}), "memory.events");
  t.equal(oomKillCount(events), null);
  writeFileSync(events, "low 0\nhigh 5\nmax 7\noom 2\noom_kill 12\noom_group_kill 1\n");
  t.equal(oomKillCount(events), 12);
  t.type(hostOomKills(), "number");
});

const LIMITS = "/sys/fs/cgroup/memory";
function noLimits(): string | false {
  try {
    accessSync(join(LIMITS, "memory.limit_in_bytes"));
    accessSync(LIMITS, constants.W_OK);
    return false;
  } catch {
    return "needs a writable memory controller of cgroup v1";
  }
}

t.test("an engine that the OOM killer ends is recorded as such", { skip: noLimits() }, async (t) => {
  const limit = join(LIMITS, `orchd-test-${process.pid}`);
  mkdirSync(limit);
  t.teardown(() => rmdirSync(limit));
  writeFileSync(join(limit, "memory.limit_in_bytes"), "100M");
  const { backend, order } = testFleet(t, "memory-hog");
  const given = await order();
  const engine = await backend.launch(given);
  await healthy(given, engine);
  writeFileSync(join(limit, "cgroup.procs"), String(pidOf(engine)));
  await t.rejects(fetch(`${urlOf(given)}/fill`));
  t.same(await engine.exited, { code: null, signal: "SIGKILL", oom: true });
});
