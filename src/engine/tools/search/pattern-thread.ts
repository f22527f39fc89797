import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { ToolFailed } from "../tool.ts";

const HEAP_MB = 128;
/** For one file. An honest pattern needs milliseconds. */
const TOO_LONG_MS = 5000;

/** What the thread does: as text, for it may start long after the files of this installation were replaced. */
const PROGRAM = `
const { basename, matchesGlob } = require("node:path");
const { parentPort, workerData } = require("node:worker_threads");
const pattern = new RegExp(workerData.source, workerData.flags);
const matching = (items, fits) => items.flatMap((item, at) => (fits(item) ? [at] : []));
parentPort.on("message", ({ text, paths, glob }) => {
  parentPort.postMessage(
    paths
      ? matching(paths, (path) => matchesGlob(glob.includes("/") ? path : basename(path), glob))
      : matching(text.split(/\\r?\\n/), (line) => pattern.test(line)),
  );
});`;

type Task = { readonly text: string } | { readonly paths: readonly string[]; readonly glob: string };

/**
 * Tries a pattern from outside in a thread of its own, which is ended when it takes too long: some need years for one
 * line, and neither a pattern nor a glob can be asked how long it will take.
 */
export class PatternThread {
  readonly #pattern: RegExp;
  readonly #signal: AbortSignal;
  #worker: Worker | undefined;

  constructor(pattern: RegExp, signal: AbortSignal) {
    this.#pattern = pattern;
    this.#signal = signal;
  }

  /** The lines that match, by their index. */
  matchingLines(text: string, path: string): Promise<readonly number[]> {
    return this.#ask({ text }, `the pattern takes too long (in ${path}); write it without nested repetitions`);
  }

  /** Those that fit; a glob without a slash is about the last name of a path. */
  async fitting(paths: readonly string[], glob: string): Promise<readonly string[]> {
    const found = await this.#ask({ paths, glob }, "the glob takes too long; write a simpler one");
    return found.flatMap((index) => paths[index] ?? []);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #ask(task: Task, whenTooLong: string): Promise<readonly number[]> {
    const worker = (this.#worker ??= await this.#start());
    const tooLong = AbortSignal.timeout(TOO_LONG_MS);
    try {
      const answer = once(worker, "message", { signal: AbortSignal.any([this.#signal, tooLong]) });
      // A thread is no window: it has no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(task);
      const [found] = (await answer) as [readonly number[]];
      return found;
    } catch (error) {
      await this.close();
      this.#signal.throwIfAborted();
      if (tooLong.aborted) throw new ToolFailed(whenTooLong);
      throw error;
    }
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import("node:worker_threads");
    const { source, flags } = this.#pattern;
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
    return new Worker(PROGRAM, { eval: true, workerData: { source, flags }, env: {}, execArgv: [], resourceLimits });
  }
}
