import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "../folders/change-owner.ts";
import { CgroupFolder } from "./cgroup-folder.ts";
import type { CgroupHierarchy } from "./cgroup-hierarchies.ts";
import { type CgroupLimits, limitFiles, readLimits } from "./cgroup-limits.ts";

/** Of the process itself. In version 2 a cgroup with controllers enabled below it may contain no process. */
const OWN_LEAF = "main";

/** The folder in one hierarchy. */
interface Part {
  readonly folder: CgroupFolder;
  readonly hierarchy: CgroupHierarchy;
}

/**
 * The cgroup of a process that starts programs in cgroups of their own: a folder in each hierarchy of this host. Its
 * members descend from that process, however they were forked. The first hierarchy tells who is a member.
 *
 *     name            limits of all together
 *     name/main       the process itself, only in version 2 with controllers
 *     name/nested     limits of the programs together, below those of all; `nested` is a name of the caller's choice
 */
export class DelegatedCgroup {
  readonly #parts: readonly Part[];
  readonly #nested: string;

  constructor(
    hierarchies: readonly CgroupHierarchy[],
    { name, nested }: { readonly name: string; readonly nested: string },
  ) {
    this.#nested = nested;
    this.#parts = hierarchies.map((hierarchy) => ({
      hierarchy,
      folder: new CgroupFolder(join(hierarchy.path, name)),
    }));
  }

  exists(): boolean {
    return this.#parts.some(({ folder }) => folder.exists());
  }

  /** Whether the kernel limits processes in it. */
  limitsProcesses(): boolean {
    return this.#parts.some(({ hierarchy }) => hierarchy.controllers.includes("pids"));
  }

  /** Creates the folders with their limits. The user may create cgroups in `nested`, and change no limit above. */
  create({ all, nested }: Record<"all" | "nested", CgroupLimits>, user: Owner | null): void {
    for (const { folder, hierarchy } of this.#parts) {
      mkdirSync(folder.path);
      // The user passes through, whatever the umask of this process.
      chmodSync(folder.path, 0o755);
      setLimits({ folder, hierarchy }, all);
      if (isSplit(hierarchy)) {
        folder.limit("cgroup.subtree_control", enable(hierarchy));
        mkdirSync(join(folder.path, OWN_LEAF));
      }
      this.#createNested({ folder, hierarchy }, nested, user);
    }
  }

  /**
   * Creates `nested` again where it is missing: systemd removes empty cgroups when a service restarts. `limits` are those
   * of it, by what limits all.
   */
  restoreNested(limits: (all: CgroupLimits) => CgroupLimits, user: Owner | null): void {
    for (const { folder, hierarchy } of this.#parts) {
      if (!folder.exists() || this.#nestedIn(folder).exists()) continue;
      this.#createNested({ folder, hierarchy }, limits(readLimits(folder, hierarchy.version)), user);
    }
  }

  /** Moves the process into the cgroup. Call it before the process can fork. */
  enter(pid: number): void {
    for (const part of this.#parts) ownFolder(part).enter(pid);
  }

  /** The folders in which the process may create cgroups for its programs. */
  nestedFolders(): readonly string[] {
    return this.#parts.map(({ folder }) => this.#nestedIn(folder).path);
  }

  /** All members. */
  pids(): readonly number[] {
    return this.#parts.find(({ folder }) => folder.exists())?.folder.pids() ?? [];
  }

  /** Sends SIGKILL to all members. Does nothing when this process is a member. */
  kill(): void {
    for (const { folder } of this.#parts) folder.kill();
  }

  /** Removes the cgroup, or nothing of it and false while it has members: a running process needs its empty `nested`. */
  remove(): boolean {
    if (this.#parts.some(({ folder }) => folder.pids().length > 0)) return false;
    return this.#parts.map(({ folder }) => folder.remove()).every(Boolean);
  }

  /** OOM kills of the process itself; those of its programs are counted in their own cgroups. */
  oomKills(): number | null {
    const counts = this.#parts.map((part) => ownFolder(part).oomKills());
    return counts.find((count) => count !== null) ?? null;
  }

  #nestedIn(folder: CgroupFolder): CgroupFolder {
    return new CgroupFolder(join(folder.path, this.#nested));
  }

  #createNested({ folder, hierarchy }: Part, limits: CgroupLimits, user: Owner | null): void {
    const nested = this.#nestedIn(folder);
    mkdirSync(nested.path);
    setLimits({ folder: nested, hierarchy }, limits);
    if (isSplit(hierarchy)) nested.limit("cgroup.subtree_control", enable(hierarchy));
    if (user === null) return;
    chownSync(nested.path, user.uid, user.gid);
    // Version 2 asks for this right to move a process from one nested cgroup to another.
    for (const { path } of [folder, nested]) chownSync(join(path, "cgroup.procs"), user.uid, user.gid);
  }
}

const ownFolder = ({ folder, hierarchy }: Part): CgroupFolder =>
  isSplit(hierarchy) ? new CgroupFolder(join(folder.path, OWN_LEAF)) : folder;

const isSplit = ({ version, controllers }: CgroupHierarchy): boolean => version === 2 && controllers.length > 0;

const enable = ({ controllers }: CgroupHierarchy): string => controllers.map((one) => `+${one}`).join(" ");

function setLimits({ folder, hierarchy }: Part, limits: CgroupLimits): void {
  for (const [file, value] of Object.entries(limitFiles(limits, hierarchy.version))) folder.limit(file, value);
}
