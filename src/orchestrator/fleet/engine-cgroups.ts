import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { sha256 } from "../../contract/api-keys.ts";
import type { CgroupBase } from "./cgroup-base.ts";
import { EngineCgroup, tell } from "./engine-cgroup.ts";

/** The cgroups of the engines of one run folder, named so that other daemons' beside them are not mistaken for ours. */
export class EngineCgroups {
  readonly #base: CgroupBase;
  readonly #prefix: string;
  readonly #logger: Logger;

  constructor(base: CgroupBase, { runDir, logger }: { readonly runDir: string; readonly logger: Logger }) {
    this.#base = base;
    this.#prefix = `engine-${sha256(runDir).slice(0, 8)}-`;
    this.#logger = logger;
  }

  /** Once before the others: switches memory limits on where it may, and removes the cgroups of lives long gone. */
  prepare(): void {
    const { path, canLimitMemory } = this.#base;
    if (canLimitMemory) this.#attempt("memory cannot be limited", () => allowMemoryLimits(path));
    for (const incarnation of this.incarnations()) {
      this.#attempt("an old cgroup cannot be removed", () => this.#of(incarnation).remove());
    }
  }

  /** Puts a process just started into a cgroup of its own. An engine runs without one too: `null`, and a warning. */
  confine(incarnation: string, pid: number, memoryMb: number): EngineCgroup | null {
    const cgroup = this.#of(incarnation);
    const confined = this.#attempt("an engine runs without a cgroup of its own", () => {
      mkdirSync(cgroup.path);
      cgroup.limitMemory(memoryMb);
      cgroup.enter(pid);
      return cgroup;
    });
    if (confined === null) this.#attempt("a cgroup cannot be removed", () => cgroup.remove());
    return confined;
  }

  find(incarnation: string): EngineCgroup | null {
    const cgroup = this.#of(incarnation);
    return existsSync(cgroup.path) ? cgroup : null;
  }

  /** Of all lives that have a cgroup. */
  incarnations(): readonly string[] {
    return readdirSync(this.#base.path)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length));
  }

  #of(incarnation: string): EngineCgroup {
    return new EngineCgroup(join(this.#base.path, this.#prefix + incarnation));
  }

  #attempt<T>(failure: string, action: () => T): T | null {
    try {
      return action();
    } catch (error) {
      this.#logger.warn({ err: error }, failure);
      return null;
    }
  }
}

function allowMemoryLimits(base: string): void {
  const has = (file: string): boolean => readFileSync(join(base, file), "utf8").split(/\s+/).includes("memory");
  if (!has("cgroup.controllers") || has("cgroup.subtree_control")) return;
  tell(join(base, "cgroup.subtree_control"), "+memory");
}
