import { readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { hasCode } from "../system/error-code.ts";

/**
 * The fields of `/proc/<pid>/stat` of a running process. A zombie counts as gone, but a process whose first thread has
 * exited before others is none, though its state is the same.
 */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
}

/** Pids are reused. With its start time a pid identifies one process of this boot. */
export type ProcessIdentity = Pick<ProcessStat, "pid" | "startTime">;

/** `PF_KTHREAD` */
const KERNEL_THREAD = 0x20_0000;

/** Null when it is gone or a zombie. */
export function readStat(pid: number): ProcessStat | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null || !isRunning(text) ? null : statOf(pid, fieldsOf(text));
}

/** By the text of its `/proc/<pid>/stat`. */
export function isRunning(stat: string): boolean {
  const state = stat.charAt(stat.lastIndexOf(")") + 2);
  return state !== "X" && (state !== "Z" || fieldsOf(stat).threads > 1);
}

/** Of a zombie too. Null when it is gone. */
export function readParent(pid: number): number | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : fieldsOf(text).parent;
}

/** Every running process of the machine that is readable, without the kernel's threads. */
export const listProcesses = (): ProcessStat[] => lookAtProcesses().running;

/** Processes ended while the list was read: it may lack others that they have forked meanwhile. */
export interface ProcessLook {
  readonly running: ProcessStat[];
  readonly ended: readonly number[];
}

export function lookAtProcesses(): ProcessLook {
  const running: ProcessStat[] = [];
  const ended: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const text = readProc(`/proc/${pid}/stat`);
    if (text === null || !isRunning(text)) {
      ended.push(pid);
      continue;
    }
    const fields = fieldsOf(text);
    // Half of the entries of many machines. Whoever looks through the list would read their files in vain.
    if ((fields.flags & KERNEL_THREAD) === 0) running.push(statOf(pid, fields));
  }
  return { running, ended };
}

/** The identity of a child that was just spawned. An exited child can be read until it is reaped. */
export function readIdentity(pid: number): ProcessIdentity {
  return { pid, startTime: fieldsOf(readFileSync(`/proc/${pid}/stat`, "utf8")).startTime };
}

/** True while exactly this process runs. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return readStat(pid)?.startTime === startTime;
}

/** One variable of the environment that a process was started with. Null when it is unset or not readable. */
export function startVariable(pid: number, name: string): string | null {
  const entry = readStart(pid, "environ")
    ?.split("\0")
    .find((line) => line.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
}

/**
 * The folder in `/proc` that tells of the memory and the descriptors of a process. Once its first thread has exited,
 * that is the folder of another thread, of which the process has them still.
 */
export function processFolder(pid: number): string {
  const own = `/proc/${pid}`;
  if (!hasExited(`${own}/stat`)) return own;
  const threads = unlessGone(() => readdirSync(`${own}/task`)) ?? [];
  const thread = threads.find((id) => !hasExited(`${own}/task/${id}/stat`));
  return thread === undefined ? own : `${own}/task/${thread}`;
}

/** Whether this process may signal another. Landlock's signal scope, where there is one, counts. */
export function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}

/** The arguments a process was started with; none when it is gone. Unlike its environment, every user may read them. */
export const startArguments = (pid: number): readonly string[] => readStart(pid, "cmdline")?.split("\0") ?? [];

/** A file that tells how a process was started. */
function readStart(pid: number, file: "environ" | "cmdline"): string | null {
  const own = `/proc/${pid}`;
  const text = readProc(`${own}/${file}`);
  if (text !== null && text !== "") return text;
  // Only now, as it reads a further file.
  const folder = processFolder(pid);
  return folder === own ? text : readProc(`${folder}/${file}`);
}

/** The real user id of a process; `null` when it is gone. */
export function readUser(pid: number): number | null {
  const uid = /^Uid:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return uid === undefined ? null : Number(uid);
}

/**
 * Like {@link readUser}, at a sixth of the CPU time. It tells root of a process that may not be inspected, such as one that
 * has changed its user and has started no program since.
 */
export const ownerOf = (pid: number): number | null => unlessGone(() => statSync(`/proc/${pid}`).uid);

/** The seeds and their descendants, as far as the parents in between still run. */
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

/** Signals a process, or with a negative number a group. A target that is gone or belongs to another user is ignored. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

const statOf = (pid: number, { parent, group, session, startTime }: ReturnType<typeof fieldsOf>): ProcessStat => ({
  pid,
  parent,
  group,
  session,
  startTime,
});

/** The fields after the command, which may itself contain blanks and parentheses. */
function fieldsOf(text: string) {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    flags: Number(fields[6]),
    threads: Number(fields[17]),
    startTime: fields[19] ?? "",
  };
}

function hasExited(stat: string): boolean {
  const text = readProc(stat);
  return text === null || ["Z", "X"].includes(fieldsOf(text).state ?? "");
}

export const readProc = (path: string): string | null => unlessGone(() => readFileSync(path, "utf8"));

/** Reads below `/proc`. Null when the process is gone or belongs to another user. */
export function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return null;
    throw error;
  }
}

/**
 * What a descriptor below `/proc` refers to; "" when it is closed, or its process gone or another user's. `deep`: for a
 * file of a folder deeper than PATH_MAX, whose path no call can return.
 */
export function descriptorTarget(path: string, deep = ""): string {
  try {
    return unlessGone(() => readlinkSync(path)) ?? "";
  } catch (error) {
    if (hasCode(error, "ENAMETOOLONG")) return deep;
    throw error;
  }
}
