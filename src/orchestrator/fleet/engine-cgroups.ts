import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { CgroupFolder, writeKernelFile } from "../../shared/linux/cgroup-folder.ts";
import { sha256 } from "../../contract/api-keys.ts";
import type { CgroupHierarchy } from "./cgroup-hierarchies.ts";
import { EngineCgroup } from "./engine-cgroup.ts";
import type { Owner } from "./isolation/owner.ts";
import type { EngineLimits } from "./engine-limits.ts";

/** For the process of systemd/orchd-engines.service. */
const HOLDER_LEAF = "holder";

/** The cgroups of the engines of one run folder. The name prefix distinguishes them from those of other daemons. */
export class EngineCgroups {
  #hierarchies: readonly CgroupHierarchy[];
  readonly #prefix: string;
  readonly #logger: Logger;

  constructor(
    hierarchies: readonly CgroupHierarchy[],
    { runDir, logger }: { readonly runDir: string; readonly logger: Logger },
  ) {
    this.#hierarchies = hierarchies;
    this.#prefix = `engine-${sha256(runDir).slice(0, 8)}-`;
    this.#logger = logger;
  }

  /**
   * Call it first: enables the controllers, removes empty cgroups of earlier incarnations, and leaves out hierarchies in
   * which no cgroup can be created.
   */
  prepare(): void {
    this.#hierarchies = this.#hierarchies.filter((hierarchy) =>
      this.#attempt("failed to prepare a cgroup hierarchy", () => {
        enableControllers(hierarchy);
        tryToCreate(join(hierarchy.path, `${this.#prefix}probe`));
        return true;
      }),
    );
    for (const incarnation of this.incarnations()) {
      this.#attempt("failed to remove an old cgroup", () => this.#of(incarnation).remove());
    }
  }

  /** What limits the engines of this daemon. */
  get hierarchies(): readonly CgroupHierarchy[] {
    return this.#hierarchies;
  }

  /** Creates the cgroup of an engine before its process. Logs a failure and returns null. */
  create(incarnation: string, limits: EngineLimits, user: Owner | null): EngineCgroup | null {
    if (this.#hierarchies.length === 0) return null;
    const cgroup = this.#of(incarnation);
    const created = this.#attempt("failed to create an engine's cgroup", () => {
      // Again, because a unit that was restarted has a new cgroup.
      this.#hierarchies.forEach(enableControllers);
      cgroup.create(limits, user);
      return cgroup;
    });
    if (created === null) this.remove(cgroup);
    return created;
  }

  remove(cgroup: EngineCgroup): void {
    this.#attempt("failed to remove a cgroup", () => cgroup.remove());
  }

  find(incarnation: string): EngineCgroup | null {
    const cgroup = this.#of(incarnation);
    return cgroup.exists() ? cgroup : null;
  }

  /** Like {@link find}, for an engine that continues to run: restores the cgroup of its tools. */
  adopt(incarnation: string, user: Owner | null): EngineCgroup | null {
    const cgroup = this.find(incarnation);
    this.#attempt("failed to restore the cgroup of tools", () => cgroup?.restoreTools(user));
    return cgroup;
  }

  /** The incarnations that have a cgroup. */
  incarnations(): readonly string[] {
    const names = this.#hierarchies.flatMap(({ path }) => readdirSync(path));
    const ours = names.filter((name) => name.startsWith(this.#prefix));
    return [...new Set(ours)].map((name) => name.slice(this.#prefix.length));
  }

  /** The incarnation of each process in one of the cgroups. */
  members(): ReadonlyMap<number, string> {
    const pairs = (incarnation: string) =>
      this.#of(incarnation)
        .pids()
        .map((pid) => [pid, incarnation] as const);
    return new Map(this.incarnations().flatMap(pairs));
  }

  #of(incarnation: string): EngineCgroup {
    return new EngineCgroup(this.#hierarchies, this.#prefix + incarnation);
  }

  #attempt<T>(message: string, action: () => T): T | null {
    try {
      return action();
    } catch (error) {
      this.#logger.warn({ err: error }, message);
      return null;
    }
  }
}

/** Throws unless the kernel's file system is writable there. */
function tryToCreate(path: string): void {
  const folder = new CgroupFolder(path);
  folder.remove();
  mkdirSync(path);
  try {
    accessSync(join(path, "cgroup.procs"), constants.W_OK);
  } finally {
    folder.remove();
  }
}

/** Version 2 only: version 1 enables its controllers everywhere. */
function enableControllers({ version, path, controllers }: CgroupHierarchy): void {
  const file = join(path, "cgroup.subtree_control");
  if (version === 1 || !existsSync(file)) return;
  const enabled = readFileSync(file, "utf8").trim().split(" ");
  const missing = controllers.filter((one) => !enabled.includes(one));
  if (missing.length > 0) moveMembers(path);
  for (const one of missing) writeKernelFile(file, `+${one}`);
}

/** The kernel enables controllers only in a cgroup without processes. The unit's own process moves to a leaf. */
function moveMembers(path: string): void {
  const pids = new CgroupFolder(path).ownPids();
  if (pids.length === 0) return;
  const leaf = new CgroupFolder(join(path, HOLDER_LEAF));
  if (!leaf.exists()) mkdirSync(leaf.path);
  for (const pid of pids) leaf.enter(pid);
}
