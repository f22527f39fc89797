import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CgroupFolder } from "./cgroup-folder.ts";
import { setTimeout as delay } from "node:timers/promises";

/** An ended process stays a member of its cgroup for a moment. */
const EMPTY_WITHIN_MS = 2000;
const POLL_MS = 5;

/** Creates a cgroup for each program, in folders that this process may write. */
export class ProgramCgroups {
  readonly #folders: readonly string[];
  #created = 0;

  /** `folders`: one in each hierarchy of the host, or none. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Null without folders. Throws when one cannot be created. */
  create(): ProgramCgroup | null {
    if (this.#folders.length === 0) return null;
    const name = `call-${++this.#created}`;
    const cgroup = new ProgramCgroup(this.#folders.map((folder) => new CgroupFolder(join(folder, name))));
    cgroup.create();
    return cgroup;
  }
}

/** The cgroup of one program: a folder in each hierarchy. */
export class ProgramCgroup {
  readonly #folders: readonly CgroupFolder[];

  constructor(folders: readonly CgroupFolder[]) {
    this.#folders = folders;
  }

  create(): void {
    try {
      for (const { path } of this.#folders) mkdirSync(path);
    } catch (error) {
      for (const folder of this.#folders) folder.remove();
      throw error;
    }
  }

  /**
   * Descriptors through which a child process moves itself into the cgroup before it runs anything else. The caller
   * closes them with {@link closeEntries} once the child has them.
   */
  openEntries(): readonly number[] {
    const entries: number[] = [];
    try {
      for (const folder of this.#folders) entries.push(folder.openEntry());
      return entries;
    } catch (error) {
      closeEntries(entries);
      throw error;
    }
  }

  /** All members, however they were forked. */
  pids(): readonly number[] {
    return this.#folders[0]?.pids() ?? [];
  }

  /** Sends SIGKILL to all members. */
  kill(): void {
    for (const folder of this.#folders) folder.kill();
  }

  /** How many members the kernel ended for their memory. */
  oomKills(): number {
    return Math.max(0, ...this.#folders.map((folder) => folder.oomKills() ?? 0));
  }

  /** Removes the folders. False when a member is left after two seconds. */
  async remove(): Promise<boolean> {
    const end = performance.now() + EMPTY_WITHIN_MS;
    for (;;) {
      if (this.#folders.map((folder) => folder.remove()).every(Boolean)) return true;
      if (performance.now() >= end) return false;
      await delay(POLL_MS, undefined, { ref: false });
    }
  }
}

/** Rejects when processes are left in it. */
export async function removeCgroup(cgroup: ProgramCgroup | null): Promise<void> {
  if ((await cgroup?.remove()) === false) throw new Error(`the cgroup is in use by ${cgroup?.pids().join(", ")}`);
}

export function closeEntries(entries: readonly number[]): void {
  for (const entry of entries) closeSync(entry);
}
