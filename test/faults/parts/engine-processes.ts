import { readdirSync } from "node:fs";
import { readText } from "../../helpers/fleet.ts";

export interface EngineProcess {
  readonly pid: number;
  /** Of the life it was started for. */
  readonly incarnation: string;
}

/** Living processes that were born for an engine of this data folder, the engines' own children included. */
export function engineProcesses(dataDir: string): readonly EngineProcess[] {
  const born = `\0ORCH_LAUNCH_FILE=${dataDir}/run/launch-`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      // Zombies have no environment.
      const [, rest] = `\0${readText(`/proc/${pid}/environ`)}`.split(born);
      return rest === undefined ? [] : [{ pid: Number(pid), incarnation: rest.slice(0, rest.indexOf(".json")) }];
    });
}
