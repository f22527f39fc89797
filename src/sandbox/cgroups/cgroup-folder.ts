import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { hasCode } from "../system/error-code.ts";

/** The errors of a cgroup that was removed meanwhile, or of a kernel without the file. */
const GONE_CODES = ["ENOENT", "ENODEV"];

/** Of a folder without folders: its name in the one above, and itself. */
const EMPTY_LINKS = 2;

/** One folder of the kernel's cgroup file system, of version 1 or 2. */
export class CgroupFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  exists(): boolean {
    return existsSync(this.path);
  }

  /** Moves a process into the cgroup. Call it before the process can fork. */
  enter(pid: number): void {
    writeKernelFile(join(this.path, "cgroup.procs"), String(pid));
  }

  /** A descriptor through which a process enters the cgroup by writing `0`, without a right to any file. */
  openEntry(): number {
    return openSync(join(this.path, "cgroup.procs"), constants.O_WRONLY);
  }

  /** Sets a limit if the file exists, which means that the controller is enabled here. */
  limit(file: string, value: number | string): void {
    const path = join(this.path, file);
    if (existsSync(path)) writeKernelFile(path, String(value));
  }

  /** The text of a file. Null where it does not exist. */
  read(file: string): string | null {
    return unlessGone(null, () => readFileSync(join(this.path, file), "utf8"));
  }

  /** The members, including those of nested cgroups. */
  pids(): readonly number[] {
    return [...this.ownPids(), ...this.nested().flatMap((nested) => nested.pids())];
  }

  /** The members, without those of nested cgroups. */
  ownPids(): readonly number[] {
    const text = this.read("cgroup.procs") ?? "";
    return text
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
  }

  /**
   * Sends SIGKILL to all members. Atomic with `cgroup.kill` (version 2, Linux 5.14). With the pids controller no member
   * can fork from now on, so that one pass ends all. With neither, call it until there are no members.
   */
  kill(): void {
    const members = this.pids();
    if (members.includes(process.pid)) return;
    const killFile = join(this.path, "cgroup.kill");
    if (existsSync(killFile)) return unlessGone(undefined, () => writeKernelFile(killFile, "1"));
    unlessGone(undefined, () => this.limit("pids.max", 0));
    for (const pid of this.pids()) sendKill(pid);
  }

  /** Removes the cgroup. False while it has members. */
  remove(): boolean {
    if (this.nested().some((nested) => !nested.remove())) return false;
    try {
      unlessGone(undefined, () => rmdirSync(this.path));
      return true;
    } catch (error) {
      if (hasCode(error, "EBUSY")) return false;
      throw error;
    }
  }

  /** The number of OOM kills of members. Null if the kernel does not count them. */
  oomKills(): number | null {
    for (const file of ["memory.events", "memory.oom_control"]) {
      const count = oomKillCount(join(this.path, file));
      if (count !== null) return count;
    }
    return null;
  }

  nested(): readonly CgroupFolder[] {
    // Each folder in it is a link to it. Listing one without any would list its many files.
    if (unlessGone(EMPTY_LINKS, () => statSync(this.path).nlink) === EMPTY_LINKS) return [];
    const entries = unlessGone([], () => readdirSync(this.path, { withFileTypes: true }));
    return entries.filter((one) => one.isDirectory()).map(({ name }) => new CgroupFolder(join(this.path, name)));
  }
}

/**
 * The value of `oom_kill` in a file such as `/proc/vmstat`. Null when the file cannot be read: handling an exit must not
 * depend on it.
 */
export function oomKillCount(path: string): number | null {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(path, "utf8"))?.[1];
    return count === undefined ? null : Number(count);
  } catch {
    return null;
  }
}

/** Writes to an existing, perhaps write-only kernel file. */
export function writeKernelFile(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The member has ended meanwhile.
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

function unlessGone<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, ...GONE_CODES)) return fallback;
    throw error;
  }
}
