import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CgroupFolder } from "../../../shared/linux/cgroup-folder.ts";
import { delay } from "../../../shared/clock.ts";

/** An ended process stays a member of its cgroup for a moment. */
const EMPTY_WITHIN_MS = 2000;
const POLL_MS = 5;

/** Creates a cgroup for each command and tool server, in the folders that the daemon gave to this engine. */
export class ToolCgroups {
  readonly #folders: readonly string[];
  #created = 0;

  /** `folders`: one in each hierarchy of the host; none where the engine has no cgroup. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Null where the engine has no cgroup. Throws when one cannot be created. */
  create(): ToolCgroup | null {
    if (this.#folders.length === 0) return null;
    const name = `call-${++this.#created}`;
    const cgroup = new ToolCgroup(this.#folders.map((folder) => new CgroupFolder(join(folder, name))));
    cgroup.create();
    return cgroup;
  }
}

/** The cgroup of one command or tool server: a folder in each hierarchy. */
export class ToolCgroup {
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
    const end = Date.now() + EMPTY_WITHIN_MS;
    for (;;) {
      if (this.#folders.map((folder) => folder.remove()).every(Boolean)) return true;
      if (Date.now() >= end) return false;
      await delay(POLL_MS);
    }
  }
}

export function closeEntries(entries: readonly number[]): void {
  for (const entry of entries) closeSync(entry);
}
