import { delay } from "../../shared/clock.ts";
import type { EngineExit, EngineProcess, ProcessEnd, ProcessHandle, StopOutcome } from "./engine-backend.ts";
import type { EngineCgroup } from "./engine-cgroup.ts";
import { removeLaunchFile } from "./launch-file.ts";
import { type OomKills, hostOomKills, killedForMemory } from "./oom-kill.ts";
import { ProcessTree } from "./process-tree.ts";
import { stopTree } from "./stop-ladder.ts";

/** Looking through all processes holds everything else up: who waits for the end is told first. */
const CLEAR_AFTER_MS = 5;

/** One life of an engine and everything it forked, started by this daemon or adopted from an earlier one. */
export class TrackedProcess implements EngineProcess {
  readonly handle: ProcessHandle;
  readonly exited: Promise<EngineExit>;
  readonly #tree: ProcessTree;
  readonly #launchFile: string;
  readonly #cgroup: EngineCgroup | null;
  readonly #look: () => void;
  readonly #hurry = new AbortController();
  #ending: Promise<StopOutcome> | undefined;

  constructor({
    handle,
    ended,
    launchFile,
    cgroup,
    look,
  }: {
    readonly handle: ProcessHandle;
    readonly ended: Promise<ProcessEnd>;
    readonly launchFile: string;
    readonly cgroup: EngineCgroup | null;
    /** Makes `ended` notice an end that has just been seen otherwise. */
    readonly look: () => void;
  }) {
    this.handle = handle;
    const before = this.#oomKills();
    this.exited = ended.then((end) => ({
      ...end,
      oom: killedForMemory({ end, stopping: this.#ending !== undefined, before, after: this.#oomKills() }),
    }));
    this.#launchFile = launchFile;
    this.#cgroup = cgroup;
    this.#look = look;
    this.#tree = new ProcessTree(handle, launchFile, cgroup);
  }

  /** A second caller shares the stop that goes on; the shorter patience counts. */
  async stop(termMs: number): Promise<StopOutcome> {
    const impatience = setTimeout(() => this.#hurry.abort(), termMs);
    try {
      const outcome = await this.#end(termMs);
      if (outcome.kind === "survived") return outcome;
      this.#look();
      await this.exited;
      return outcome;
    } finally {
      clearTimeout(impatience);
    }
  }

  /** After the root's own end: ends what it left, and removes the launch file it may not have read. */
  async clear(): Promise<StopOutcome> {
    this.discardLaunchFile();
    await delay(CLEAR_AFTER_MS);
    return this.#end(0);
  }

  discardLaunchFile(): void {
    removeLaunchFile(this.#launchFile);
  }

  #oomKills(): OomKills {
    return { engine: this.#cgroup?.oomKills() ?? null, host: hostOomKills() };
  }

  /** Once for all callers. An end that failed, or that something survived, is not kept: whoever asks again gets another try. */
  async #end(termMs: number): Promise<StopOutcome> {
    this.#ending ??= stopTree(this.#tree, { termMs, hurry: this.#hurry.signal });
    const ending = this.#ending;
    let ended = false;
    try {
      const outcome = await ending;
      ended = outcome.kind !== "survived";
      return outcome;
    } finally {
      if (!ended && this.#ending === ending) this.#ending = undefined;
    }
  }
}
