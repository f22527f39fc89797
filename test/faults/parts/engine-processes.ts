import { readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { readText } from "../../helpers/fleet.ts";

export interface EngineProcess {
  readonly pid: number;
  /** The engine whose folder is its working directory. */
  readonly engineId: string;
  /** The incarnation that it was started for. */
  readonly incarnation: string;
}

/** Running processes of the engines of this data folder, including their children. */
export function engineProcesses(dataDir: string): readonly EngineProcess[] {
  const born = `\0ORCH_LAUNCH_FILE=${dataDir}/run/launch-`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      // Zombies have no environment.
      const [, rest] = `\0${readText(`/proc/${pid}/environ`)}`.split(born);
      if (rest === undefined) return [];
      return [{ pid: Number(pid), engineId: workFolder(pid), incarnation: rest.slice(0, rest.indexOf(".json")) }];
    });
}

function workFolder(pid: string): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, ""));
  } catch (error) {
    // It has just ended.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return "";
    throw error;
  }
}
