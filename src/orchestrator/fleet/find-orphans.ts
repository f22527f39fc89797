import { LAUNCH_FILE_VARIABLE } from "../../contract/engine-launch.ts";
import type { Orphans } from "./engine-backend.ts";
import { incarnationOf } from "./launch-file.ts";
import { listProcesses, startVariable } from "./process-identity.ts";

/** Who was born with a launch file of this run folder, by the life it was written for, except for the lives given. */
export function findOrphans(runDir: string, known: ReadonlySet<string>): readonly Orphans[] {
  const lives = new Map<string, number[]>();
  for (const { pid } of listProcesses()) {
    const launchFile = startVariable(pid, LAUNCH_FILE_VARIABLE);
    const incarnation = launchFile === null ? null : incarnationOf(runDir, launchFile);
    if (incarnation === null || known.has(incarnation) || pid === process.pid) continue;
    lives.set(incarnation, [...(lives.get(incarnation) ?? []), pid]);
  }
  return [...lives].map(([incarnation, pids]) => ({ incarnation, pids }));
}
