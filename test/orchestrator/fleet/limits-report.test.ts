import t from "tap";
import type { CgroupHierarchy } from "../../../src/sandbox/cgroups/cgroup-hierarchies.ts";
import { limitsReport } from "../../../src/orchestrator/fleet/limits-report.ts";

const version2 = (...controllers: CgroupHierarchy["controllers"]) => ({ version: 2, path: "/a", controllers }) as const;
const version1 = (...controllers: CgroupHierarchy["controllers"]) => ({ version: 1, path: "/b", controllers }) as const;

t.test("limits are active where cgroups of either version hold processes and memory", async (t) => {
  t.same(limitsReport([version2("pids", "memory", "cpu")]), {
    name: "limits",
    active: true,
    problem: null,
    fix: null,
    detail: "processes by cgroup v2, memory by cgroup v2, CPU by cgroup v2, disk by a watch of the engine",
  });
  const { active, detail } = limitsReport([version2(), version1("pids"), version1("memory")]);
  t.ok(active);
  t.equal(detail, "processes by cgroup v1, memory by cgroup v1, disk by a watch of the engine");
});

t.test("a limit without a cgroup is a problem with a fix", async (t) => {
  for (const hierarchies of [[], [version2()]]) {
    const report = limitsReport(hierarchies);
    t.notOk(report.active);
    t.equal(report.problem, "no cgroup limits processes and memory of engines and tools");
    t.match(report.fix, /orchd-engines\.service/);
    t.match(report.detail, /^processes by a watch of the engine, memory by a watch/);
  }
  t.equal(limitsReport([version1("pids")]).problem, "no cgroup limits memory of engines and tools");
});
