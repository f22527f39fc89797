import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CgroupFolder } from "../../shared/linux/cgroup-folder.ts";
import type { CgroupHierarchy } from "./cgroup-hierarchies.ts";
import { type EngineLimits, engineLimits, limitsOf, toolLimits } from "./engine-limits.ts";
import type { Owner } from "./isolation/owner.ts";

/** The engine's own process. In version 2 a cgroup with controllers enabled below it may contain no process itself. */
const ENGINE_LEAF = "main";
/** The engine creates a cgroup in it for each command and tool server. */
const TOOLS = "tools";

/** The folder in one hierarchy. */
interface Part {
  readonly folder: CgroupFolder;
  readonly hierarchy: CgroupHierarchy;
}

/**
 * The cgroup of one incarnation: a folder in each hierarchy of this host. Its members descend from that incarnation,
 * however they were forked. The first hierarchy tells who is a member.
 *
 *     engine-…         limits of engine and tools together
 *     engine-…/main    the engine, only in version 2 with controllers
 *     engine-…/tools   limits of all tools, below those of the engine
 */
export class EngineCgroup {
  readonly #parts: readonly Part[];

  constructor(hierarchies: readonly CgroupHierarchy[], name: string) {
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

  /** Creates the folders with their limits. The engine's user may create cgroups in `tools`, and change no limit above. */
  create(limits: EngineLimits, user: Owner | null): void {
    for (const { folder, hierarchy } of this.#parts) {
      mkdirSync(folder.path);
      // The engine passes through, whatever the daemon's umask.
      chmodSync(folder.path, 0o755);
      setLimits(folder, engineLimits(limits, hierarchy.version));
      if (isSplit(hierarchy)) {
        folder.limit("cgroup.subtree_control", enable(hierarchy));
        mkdirSync(join(folder.path, ENGINE_LEAF));
      }
      createTools({ folder, hierarchy }, limits, user);
    }
  }

  /** Creates `tools` again where it is missing: systemd removes empty cgroups when a service restarts. */
  restoreTools(user: Owner | null): void {
    for (const { folder, hierarchy } of this.#parts) {
      if (!folder.exists() || new CgroupFolder(join(folder.path, TOOLS)).exists()) continue;
      createTools(
        { folder, hierarchy },
        limitsOf((file) => folder.read(file), hierarchy.version),
        user,
      );
    }
  }

  /** Moves the engine's process into the cgroup. Call it before the process can fork. */
  enter(pid: number): void {
    for (const part of this.#parts) this.#engineFolder(part).enter(pid);
  }

  /** The folders in which the engine may create cgroups for its tools. */
  toolFolders(): readonly string[] {
    return this.#parts.map(({ folder }) => join(folder.path, TOOLS));
  }

  /** All members. */
  pids(): readonly number[] {
    return this.#parts.find(({ folder }) => folder.exists())?.folder.pids() ?? [];
  }

  /** Sends SIGKILL to all members. Does nothing when the daemon is a member. */
  kill(): void {
    for (const { folder } of this.#parts) folder.kill();
  }

  /** Removes the cgroup, or nothing of it and false while it has members: a running engine needs its empty `tools`. */
  remove(): boolean {
    if (this.#parts.some(({ folder }) => folder.pids().length > 0)) return false;
    return this.#parts.map(({ folder }) => folder.remove()).every(Boolean);
  }

  /** OOM kills of the engine's own process; those of its tools are counted in their own cgroups. */
  oomKills(): number | null {
    const counts = this.#parts.map((part) => this.#engineFolder(part).oomKills());
    return counts.find((count) => count !== null) ?? null;
  }

  #engineFolder({ folder, hierarchy }: Part): CgroupFolder {
    return isSplit(hierarchy) ? new CgroupFolder(join(folder.path, ENGINE_LEAF)) : folder;
  }
}

function createTools({ folder, hierarchy }: Part, limits: EngineLimits, user: Owner | null): void {
  const tools = new CgroupFolder(join(folder.path, TOOLS));
  mkdirSync(tools.path);
  setLimits(tools, toolLimits(limits, hierarchy.version));
  if (isSplit(hierarchy)) tools.limit("cgroup.subtree_control", enable(hierarchy));
  if (user === null) return;
  chownSync(tools.path, user.uid, user.gid);
  // Version 2 asks for this right to move a process from one nested cgroup to another.
  for (const path of [folder.path, tools.path]) chownSync(join(path, "cgroup.procs"), user.uid, user.gid);
}

const isSplit = ({ version, controllers }: CgroupHierarchy): boolean => version === 2 && controllers.length > 0;

const enable = ({ controllers }: CgroupHierarchy): string => controllers.map((one) => `+${one}`).join(" ");

function setLimits(folder: CgroupFolder, values: Readonly<Record<string, number>>): void {
  for (const [file, value] of Object.entries(values)) folder.limit(file, value);
}
