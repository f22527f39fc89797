import { readFileSync, readdirSync } from "node:fs";

/** What `/proc/<pid>/stat` says of a process that can still do something: zombies are gone. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
}

/** A pid alone is used again; with its start time it names one process of this boot. */
export type ProcessIdentity = Pick<ProcessStat, "pid" | "startTime">;

export function readStat(pid: number): ProcessStat | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  const { state, ...fields } = fieldsOf(text);
  return state === "Z" || state === "X" ? null : { pid, ...fields };
}

/** Every living process of the machine that we may look at. */
export function listProcesses(): ProcessStat[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== null);
}

/** The identity of a child just started. Even one that has already died is still there until it is reaped. */
export function readIdentity(pid: number): ProcessIdentity {
  return { pid, startTime: fieldsOf(readFileSync(`/proc/${pid}/stat`, "utf8")).startTime };
}

/** True while exactly this process runs. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return readStat(pid)?.startTime === startTime;
}

/** One variable of the environment a process was started with; `null` too when we may not read it. */
export function startVariable(pid: number, name: string): string | null {
  const entry = readProc(`/proc/${pid}/environ`)
    ?.split("\0")
    .find((line) => line.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
}

/** The members of `seeds` and all that descends from them, as far as parents still live. */
export function withDescendants(seeds: readonly ProcessStat[], processes: readonly ProcessStat[]): ProcessStat[] {
  const members = [...seeds];
  const pids = new Set(seeds.map(({ pid }) => pid));
  for (const parent of members) {
    for (const one of processes) {
      if (one.parent !== parent.pid || pids.has(one.pid)) continue;
      pids.add(one.pid);
      members.push(one);
    }
  }
  return members;
}

/**
 * Which of `processes` have a parent older than `root`. A descendant of `root` whose parent has exited belongs to such a
 * process; any other has a living parent that is a descendant too. Reading the environment of these alone matters: the
 * kernel lets the reader wait while a process forks, and the processes of a fork bomb take seconds for that.
 */
export function mayBeInherited(
  processes: readonly ProcessStat[],
  root: Pick<ProcessIdentity, "startTime">,
): (one: ProcessStat) => boolean {
  const young = processes.filter(({ startTime }) => Number(startTime) >= Number(root.startTime));
  const pids = new Set(young.map(({ pid }) => pid));
  return ({ parent }) => !pids.has(parent);
}

/** To a process, or with a negative number to a group; one that has gone meanwhile, or is another user's, is no matter. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Fields count from after the command, which may itself hold blanks and parentheses. */
function fieldsOf(text: string) {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  return { state, parent: Number(parent), group: Number(group), session: Number(session), startTime: fields[19] ?? "" };
}

/** `null` when the process is gone, or is not ours to look at. */
function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
