import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { basename, sep } from "node:path";

/** A process whose program is part of a release. */
interface ReleaseProcess {
  readonly pid: number;
  readonly version: string;
  readonly isEngine: boolean;
}

/** The processes of the releases in a folder. Those of other users are seen by root alone. */
export function releaseProcesses(releases: string): readonly ReleaseProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const program = read(() => readlinkSync(`/proc/${pid}/exe`));
    if (!program.startsWith(releases + sep)) return [];
    const version = program.slice(releases.length + 1).split(sep)[0] ?? "";
    const args = read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    return [{ pid: Number(pid), version, isEngine: args.some((arg) => basename(arg) === "orch-engine.cjs") }];
  });
}

/** Empty for a process that has exited or that may not be read. */
function read(what: () => string): string {
  try {
    return what();
  } catch {
    return "";
  }
}
