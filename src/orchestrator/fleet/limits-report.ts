import { CGROUP_CONTROLLERS, type CgroupController, type CgroupHierarchy } from "../../sandbox/cgroups.ts";

/** Part `limits` of the isolation status. */
export interface LimitsReport {
  readonly name: "limits";
  /** Whether the kernel limits processes and memory of every engine. Otherwise the engines watch their tools. */
  readonly active: boolean;
  readonly problem: string | null;
  /** What would enable it. */
  readonly fix: string | null;
  /** The enforced limits, each with its mechanism. */
  readonly detail: string;
}

/** The required controllers. Without them, tools can affect other engines before their engine stops them. */
const NEEDED: readonly CgroupController[] = ["pids", "memory"];
const NAMES: Readonly<Record<CgroupController, string>> = { pids: "processes", memory: "memory", cpu: "CPU" };

const FIX =
  "run orchd as its systemd service, beside orchd-engines.service and with CAP_DAC_OVERRIDE, on a host where cgroup v2 has the controllers; or as root on one with cgroup v1";

/** The enforced limits of engines. `hierarchies`: those in which this daemon creates cgroups. */
export function limitsReport(hierarchies: readonly CgroupHierarchy[]): LimitsReport {
  const held = CGROUP_CONTROLLERS.filter((one) => versionOf(hierarchies, one) !== null);
  const watched = NEEDED.filter((one) => !held.includes(one)).map((one) => NAMES[one]);
  const byKernel = held.map((one) => `${NAMES[one]} by cgroup v${versionOf(hierarchies, one)}`);
  const byWatch = [...watched, "disk"].map((name) => `${name} by a watch of the engine`);
  const active = watched.length === 0;
  return {
    name: "limits",
    active,
    problem: active ? null : `no cgroup limits ${watched.join(" and ")} of engines and tools`,
    fix: active ? null : FIX,
    detail: [...byKernel, ...byWatch].join(", "),
  };
}

const versionOf = (hierarchies: readonly CgroupHierarchy[], controller: CgroupController): 1 | 2 | null =>
  hierarchies.find(({ controllers }) => controllers.includes(controller))?.version ?? null;
