import { LAUNCH_FILE_VARIABLE } from "../../contract/engine-launch.ts";
import { type ProcessIdentity, listProcesses, startVariable } from "./process-identity.ts";

/** The engine's own process among those born with a launch file: the first that leads a session; null when it is gone. */
export function findRoot(launchFile: string): ProcessIdentity | null {
  const leaders = listProcesses()
    .filter(({ pid, session }) => pid === session && startVariable(pid, LAUNCH_FILE_VARIABLE) === launchFile)
    .toSorted((left, right) => Number(left.startTime) - Number(right.startTime));
  return leaders[0] ?? null;
}
