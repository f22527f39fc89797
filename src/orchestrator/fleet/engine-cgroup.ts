import { closeSync, constants, existsSync, openSync, readFileSync, readdirSync, rmdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { oomKillCount } from "./oom-kill.ts";

/** What a cgroup that somebody removes meanwhile, or a kernel without the file, answers. */
const GONE = new Set(["ENOENT", "ENODEV"]);

/** The cgroup (v2) of one life of an engine: who is in it stems from that life, however it was forked. */
export class EngineCgroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** To be called before the process can have forked. */
  enter(pid: number): void {
    tell(join(this.path, "cgroup.procs"), String(pid));
  }

  /** Where the kernel limits memory here; the engine is slowed down a little before it would be killed. */
  limitMemory(megabytes: number): void {
    if (megabytes <= 0 || !existsSync(join(this.path, "memory.max"))) return;
    const bytes = megabytes * 1_048_576;
    tell(join(this.path, "memory.high"), String(Math.floor(bytes * 0.9)));
    tell(join(this.path, "memory.max"), String(bytes));
  }

  /** The living members, those of cgroups made inside it included. */
  pids(): readonly number[] {
    const here = unlessGone([], () => readFileSync(join(this.path, "cgroup.procs"), "utf8").split("\n").map(Number));
    return [...here.filter((pid) => pid > 0), ...this.#inner().flatMap((inner) => inner.pids())];
  }

  /** KILL for all members at once, which no fork outruns; nothing on a kernel that cannot, or with ourselves inside. */
  kill(): void {
    if (this.pids().includes(process.pid)) return;
    unlessGone(undefined, () => tell(join(this.path, "cgroup.kill"), "1"));
  }

  /** Removes it; `false` while somebody is in it. */
  remove(): boolean {
    if (this.#inner().some((inner) => !inner.remove())) return false;
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

  #inner(): readonly EngineCgroup[] {
    const entries = unlessGone([], () => readdirSync(this.path, { withFileTypes: true }));
    return entries.filter((one) => one.isDirectory()).map(({ name }) => new EngineCgroup(join(this.path, name)));
  }
}

/** Writes to a file of the kernel's, which is there or cannot be made, and perhaps may not be read. */
export function tell(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

function unlessGone<T>(instead: T, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && GONE.has(String(error.code))) return instead;
    throw error;
  }
}
