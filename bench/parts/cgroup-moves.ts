import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { EngineCgroups, findEngineHierarchies } from "../../src/orchestrator/fleet/process/engine-cgroups.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { end } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 30;
/** Longer than the kernel lets moves that follow each other go without a wait. */
const APART_MS = 250;
/** What a start asks the database before it has a process. */
const QUERIES_MS = 8;
const LIMITS = { maxProcesses: 256, memoryMb: 1024, cpuWeight: 100 };

/** How long the daemon waits when a process enters its cgroup, where the kernel was told before and where it was not. */
export async function cgroupMoves(site: Site): Promise<readonly Row[]> {
  const cgroups = new EngineCgroups(findEngineHierarchies(), {
    runDir: `${site.runDir}-moves`,
    logger: createLogger("bench", "warn"),
  });
  cgroups.prepare();
  if (cgroups.hierarchies.length === 0) {
    process.stderr.write("moves: no cgroup can be created here, skipped\n");
    return [];
  }
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await move(cgroups, () => undefined));
    ours.push(await move(cgroups, () => cgroups.expectMove()));
  }
  return [row("entry of a process into its cgroup, expected, against not", { ours, theirs, unit: "ms", aim: "≤ 0.7" })];
}

async function move(cgroups: EngineCgroups, expect: () => void): Promise<number> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const cgroup = cgroups.create(randomUUID(), LIMITS, null);
  try {
    if (cgroup === null || child.pid === undefined) throw new Error("failed to create a cgroup with a process");
    await pause(APART_MS);
    expect();
    await pause(QUERIES_MS);
    const began = performance.now();
    cgroup.enter(child.pid);
    return performance.now() - began;
  } finally {
    await end(child);
    if (cgroup !== null) cgroups.remove(cgroup);
  }
}
