import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inBackground } from "../../../shared/background.ts";
import type { Logger } from "../../../shared/logger.ts";
import {
  type CgroupHierarchy,
  DelegatedCgroup,
  assertCreatable,
  enableControllers,
  findCgroupHierarchies,
  hastenMoves,
} from "../../../sandbox/cgroups.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { sha256 } from "../../../contract/orchestrator/api-keys.ts";
import { type EngineLimits, adoptedLimits, engineLimits, toolLimits } from "./engine-limits.ts";

/** In it, an engine creates a cgroup for each command and tool server. */
export const TOOLS_CGROUP = "tools";

/** The hierarchies in which this daemon may create the cgroups of engines. */
export const findEngineHierarchies = (): readonly CgroupHierarchy[] =>
  findCgroupHierarchies({ leaf: "supervisor", unit: "orchd-engines.service" });

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
        assertCreatable(join(hierarchy.path, `${this.#prefix}probe`));
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

  /** Tells that a process enters a cgroup soon. */
  expectMove(): void {
    if (this.#hierarchies.length > 0) inBackground("move to a cgroup", hastenMoves());
  }

  /** Creates the cgroup of an engine before its process. Logs a failure and returns null. */
  create(incarnation: string, limits: EngineLimits, user: Owner | null): DelegatedCgroup | null {
    if (this.#hierarchies.length === 0) return null;
    const cgroup = this.#of(incarnation);
    const created = this.#attempt("failed to create an engine's cgroup", () => {
      // Again, because a unit that was restarted has a new cgroup.
      this.#hierarchies.forEach(enableControllers);
      cgroup.create({ all: engineLimits(limits), nested: toolLimits(limits) }, user);
      return cgroup;
    });
    if (created === null) this.remove(cgroup);
    return created;
  }

  remove(cgroup: DelegatedCgroup): void {
    this.#attempt("failed to remove a cgroup", () => cgroup.remove());
  }

  find(incarnation: string): DelegatedCgroup | null {
    const cgroup = this.#of(incarnation);
    return cgroup.exists() ? cgroup : null;
  }

  /** Like {@link find}, for an engine that continues to run: restores the cgroup of its tools. */
  adopt(incarnation: string, user: Owner | null): DelegatedCgroup | null {
    const cgroup = this.find(incarnation);
    this.#attempt("failed to restore the cgroup of tools", () =>
      cgroup?.restoreNested((all) => toolLimits(adoptedLimits(all)), user),
    );
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

  #of(incarnation: string): DelegatedCgroup {
    return new DelegatedCgroup(this.#hierarchies, { name: this.#prefix + incarnation, nested: TOOLS_CGROUP });
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
