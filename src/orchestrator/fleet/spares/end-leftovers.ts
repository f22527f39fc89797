import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSparePath } from "../../../contract/spare.ts";
import { sendSignal } from "../../../shared/processes.ts";
import { isAlive, listProcesses, startArguments } from "../process-identity.ts";

/**
 * Ends the spares of an earlier daemon, and removes what they left in the run folder. Call it before this daemon looks
 * for engines: a spare that was just being claimed is then either one of them or gone.
 */
export function endLeftovers(runDir: string): void {
  for (const one of listProcesses()) {
    const path = startArguments(one.pid).find((argument) => isSparePath(argument));
    // I3 identity before signal: the arguments name this daemon's run folder.
    if (path !== undefined && dirname(path) === runDir && isAlive(one)) sendSignal(one.pid, "SIGKILL");
  }
  for (const name of readdirSync(runDir))
    if (isSparePath(name)) rmSync(join(runDir, name), { recursive: true, force: true });
}
