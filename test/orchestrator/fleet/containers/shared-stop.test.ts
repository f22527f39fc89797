import t from "tap";
import { SharedStop } from "../../../../src/orchestrator/fleet/containers/shared-stop.ts";
import type { StopOutcome } from "../../../../src/orchestrator/fleet/engine-backend.ts";
import { whenAborted } from "../../../../src/shared/clock.ts";

t.test("callers share one stop, and the shortest time to end applies", async (t) => {
  let stops = 0;
  const stop = new SharedStop(async (_, forceKill) => {
    stops++;
    await whenAborted(forceKill);
    return { kind: "killed" };
  });
  t.same(await Promise.all([stop.run(60_000), stop.run(1)]), [{ kind: "killed" }, { kind: "killed" }]);
  t.same(await stop.run(60_000), { kind: "killed" });
  t.equal(stops, 1);
});

t.test("after survivors the next caller tries again, with its own time", async (t) => {
  const outcomes: StopOutcome[] = [{ kind: "survived", reason: "it survived", data: {} }, { kind: "exited" }];
  const forced: boolean[] = [];
  const stop = new SharedStop(async (termMs, forceKill) => {
    if (termMs === 0) await whenAborted(forceKill);
    forced.push(forceKill.aborted);
    return outcomes.shift() ?? { kind: "exited" };
  });
  t.equal((await stop.run(0)).kind, "survived");
  t.equal((await stop.run(60_000)).kind, "exited");
  t.same(forced, [true, false]);
});
