import { readFileSync, readdirSync } from "node:fs";
import type { ProcessHandle } from "./engine-backend.ts";

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

export const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

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

/** Whether any process has the pid, a zombie included. Signal 0 reaches nobody. */
export function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    // Not ours to signal, so there.
    if (error instanceof Error && "code" in error && error.code === "EPERM") return true;
    throw error;
  }
}

/** As {@link isAlive}, for a process that an earlier daemon, perhaps before a reboot, wrote down. */
export function sameProcess(handle: ProcessHandle): boolean {
  return Number.isSafeInteger(handle.pid) && handle.pid > 1 && handle.bootId === bootId() && isAlive(handle);
}

/** One variable of the environment a process was started with; `null` too when we may not read it. */
export function startVariable(pid: number, name: string): string | null {
  const entry = readProc(`/proc/${pid}/environ`)
    ?.split("\0")
    .find((line) => line.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
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
