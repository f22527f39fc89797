import { closeSync, constants, existsSync, openSync, readFileSync, readdirSync, rmdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { oomKillCount } from "./oom-kill.ts";

/** The errors of a cgroup that was removed meanwhile, or of a kernel without the file. */
const GONE_CODES = new Set(["ENOENT", "ENODEV"]);

/** The cgroup (v2) of one incarnation. Its members descend from that incarnation, however they were forked. */
export class EngineCgroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Moves a process into the cgroup. Call it before the process can fork. */
  enter(pid: number): void {
    writeKernelFile(join(this.path, "cgroup.procs"), String(pid));
  }

  /** Sets `memory.max`, and `memory.high` at 90 % of it, where the memory controller is enabled. */
  limitMemory(megabytes: number): void {
    if (megabytes <= 0 || !existsSync(join(this.path, "memory.max"))) return;
    const bytes = megabytes * 1_048_576;
    writeKernelFile(join(this.path, "memory.high"), String(Math.floor(bytes * 0.9)));
    writeKernelFile(join(this.path, "memory.max"), String(bytes));
  }

  /** The members, including those of nested cgroups. */
  pids(): readonly number[] {
    const here = unlessGone([], () => readFileSync(join(this.path, "cgroup.procs"), "utf8").split("\n").map(Number));
    return [...here.filter((pid) => pid > 0), ...this.#nested().flatMap((nested) => nested.pids())];
  }

  /** Sends SIGKILL to all members atomically. Does nothing without `cgroup.kill` or when the daemon is a member. */
  kill(): void {
    if (this.pids().includes(process.pid)) return;
    unlessGone(undefined, () => writeKernelFile(join(this.path, "cgroup.kill"), "1"));
  }

  /** Removes the cgroup. False while it has members. */
  remove(): boolean {
    if (this.#nested().some((nested) => !nested.remove())) return false;
    try {
      unlessGone(undefined, () => rmdirSync(this.path));
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EBUSY") return false;
      throw error;
    }
  }

  oomKills(): number | null {
    return oomKillCount(join(this.path, "memory.events"));
  }

  #nested(): readonly EngineCgroup[] {
    const entries = unlessGone([], () => readdirSync(this.path, { withFileTypes: true }));
    return entries.filter((one) => one.isDirectory()).map(({ name }) => new EngineCgroup(join(this.path, name)));
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

function unlessGone<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && GONE_CODES.has(String(error.code))) return fallback;
    throw error;
  }
}
