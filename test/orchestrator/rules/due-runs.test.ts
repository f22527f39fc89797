import t from "tap";
import { dueRuns } from "../../../src/orchestrator/rules/due-runs.ts";

const MINUTE = 60_000;
const anchor = Date.parse("2026-05-01T00:00:00Z");
const times = {
  timing: { kind: "every", every_s: 600, anchor_at: new Date(anchor).toISOString() },
  offsetMs: 0,
  endsAt: null,
} as const;
const base = { times, due: anchor, missed: "skip", missedLimit: 3, waiting: 0, paused: null } as const;
const after = (minutes: number) => anchor + minutes * MINUTE;

t.test("a run that is on time starts, whatever the policy is", async (t) => {
  for (const missed of ["skip", "run_once", "run_all"] as const)
    t.same(dueRuns({ ...base, missed }, after(0.1)), { next: after(10), start: [after(0)], missed: null });
});

t.test("skip starts no late run, and reports the newest one that it skipped", async (t) => {
  const reason = "the daemon was not running when it was due";
  t.same(dueRuns(base, after(25)), { next: after(30), start: [], missed: { at: after(20), reason } });
  t.same(dueRuns(base, after(20.5)), { next: after(30), start: [after(20)], missed: { at: after(10), reason } });
});

t.test("run_once makes up for all with one run", async (t) => {
  t.same(dueRuns({ ...base, missed: "run_once" }, after(25)), { next: after(30), start: [after(20)], missed: null });
});

t.test("run_all makes up for the newest, up to its limit", async (t) => {
  const all = dueRuns({ ...base, missed: "run_all" }, after(25));
  t.same(all, { next: after(30), start: [after(0), after(10), after(20)], missed: null });
  const some = dueRuns({ ...base, missed: "run_all" }, after(1000));
  t.same(some.start, [after(980), after(990), after(1000)]);
  t.match(some.missed, { at: after(970), reason: /missed_limit/ });
});

t.test("while an earlier run has not started, no other one waits behind it", async (t) => {
  const reason = "the run before had not started yet";
  const now = after(0.1);
  for (const missed of ["skip", "run_once"] as const)
    t.same(dueRuns({ ...base, missed, waiting: 1 }, now), {
      next: after(10),
      start: [],
      missed: { at: anchor, reason },
    });
  t.same(dueRuns({ ...base, missed: "run_all", waiting: 1 }, now).start, [anchor]);
  t.same(dueRuns({ ...base, missed: "run_all", waiting: 3 }, now).start, []);
});

t.test("nothing starts while the product is paused", async (t) => {
  const found = dueRuns({ ...base, missed: "run_all", paused: "paused" }, after(15));
  t.same(found, { next: after(20), start: [], missed: { at: after(10), reason: "paused" } });
});
