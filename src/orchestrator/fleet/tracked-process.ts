import type { EngineExit, EngineProcess, ProcessHandle, StopOutcome } from "./engine-backend.ts";
import { removeLaunchFile } from "./launch-file.ts";
import { ProcessTree } from "./process-tree.ts";
import { stopTree } from "./stop-ladder.ts";

/** One life of an engine and everything it forked, started by this daemon or adopted from an earlier one. */
export class TrackedProcess implements EngineProcess {
  readonly handle: ProcessHandle;
  readonly exited: Promise<EngineExit>;
  readonly #tree: ProcessTree;
  readonly #launchFile: string;
  readonly #look: () => void;
  readonly #hurry = new AbortController();
  #stopping: Promise<StopOutcome> | undefined;

  constructor({
    handle,
    exited,
    launchFile,
    look,
  }: {
    readonly handle: ProcessHandle;
    readonly exited: Promise<EngineExit>;
    readonly launchFile: string;
    /** Makes `exited` notice an end that has just been seen otherwise. */
    readonly look: () => void;
  }) {
    this.handle = handle;
    this.exited = exited;
    this.#launchFile = launchFile;
    this.#look = look;
    this.#tree = new ProcessTree(handle, launchFile);
  }

  /** A second caller shares the stop that goes on; the shorter patience counts. */
  async stop(termMs: number): Promise<StopOutcome> {
    const impatience = setTimeout(() => this.#hurry.abort(), termMs);
    try {
      this.#stopping ??= this.#stop(termMs);
      return await this.#stopping;
    } finally {
      clearTimeout(impatience);
    }
  }

  /** After the root's own end: ends what it left, and removes the launch file it may not have read. */
  async clear(): Promise<void> {
    this.forgetLaunchFile();
    this.#stopping ??= stopTree(this.#tree, { termMs: 0, hurry: this.#hurry.signal });
    await this.#stopping;
  }

  forgetLaunchFile(): void {
    removeLaunchFile(this.#launchFile);
  }

  async #stop(termMs: number): Promise<StopOutcome> {
    const outcome = await stopTree(this.#tree, { termMs, hurry: this.#hurry.signal });
    if (outcome.kind === "survived") {
      // Whoever asks again gets another try.
      this.#stopping = undefined;
      return outcome;
    }
    this.#look();
    await this.exited;
    return outcome;
  }
}
