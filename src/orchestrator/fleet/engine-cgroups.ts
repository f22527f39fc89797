import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { sha256 } from "../../contract/api-keys.ts";
import type { CgroupBase } from "./cgroup-base.ts";
import { EngineCgroup, writeKernelFile } from "./engine-cgroup.ts";

/** The cgroups of the engines of one run folder. The name prefix tells them from those of other daemons. */
export class EngineCgroups {
  readonly #base: CgroupBase;
  readonly #prefix: string;
  readonly #logger: Logger;

  constructor(base: CgroupBase, { runDir, logger }: { readonly runDir: string; readonly logger: Logger }) {
    this.#base = base;
    this.#prefix = `engine-${sha256(runDir).slice(0, 8)}-`;
    this.#logger = logger;
  }

  /** Call it first: enables the memory controller if possible and removes empty cgroups of earlier incarnations. */
  prepare(): void {
    const { path, canLimitMemory } = this.#base;
    if (canLimitMemory) this.#attempt("failed to enable memory limits", () => allowMemoryLimits(path));
    for (const incarnation of this.incarnations()) {
      this.#attempt("failed to remove an old cgroup", () => this.#of(incarnation).remove());
    }
  }

  /** Moves a process that was just spawned into its own cgroup. Logs a failure and returns null. */
  confine(incarnation: string, pid: number, memoryMb: number): EngineCgroup | null {
    const cgroup = this.#of(incarnation);
    const confined = this.#attempt("failed to create an engine's cgroup", () => {
      mkdirSync(cgroup.path);
      cgroup.limitMemory(memoryMb);
      cgroup.enter(pid);
      return cgroup;
    });
    if (confined === null) this.#attempt("failed to remove a cgroup", () => cgroup.remove());
    return confined;
  }

  find(incarnation: string): EngineCgroup | null {
    const cgroup = this.#of(incarnation);
    return existsSync(cgroup.path) ? cgroup : null;
  }

  /** The incarnations that have a cgroup. */
  incarnations(): readonly string[] {
    return readdirSync(this.#base.path)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length));
  }

  #of(incarnation: string): EngineCgroup {
    return new EngineCgroup(join(this.#base.path, this.#prefix + incarnation));
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

function allowMemoryLimits(base: string): void {
  const has = (file: string): boolean => readFileSync(join(base, file), "utf8").split(/\s+/).includes("memory");
  if (!has("cgroup.controllers") || has("cgroup.subtree_control")) return;
  writeKernelFile(join(base, "cgroup.subtree_control"), "+memory");
}
