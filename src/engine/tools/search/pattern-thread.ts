import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { ToolFailed } from "../tool.ts";

const HEAP_MB = 128;
/** For one file; an ordinary pattern takes milliseconds. */
const TIMEOUT_MS = 5000;

/** The worker's program as text: an upgrade may have replaced the installed files before it starts. */
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
 * Matches an untrusted regular expression or glob in a worker thread, which is terminated on timeout: backtracking may
 * be exponential.
 */
export class PatternThread {
  readonly #pattern: RegExp;
  readonly #signal: AbortSignal;
  #worker: Worker | undefined;

  constructor(pattern: RegExp, signal: AbortSignal) {
    this.#pattern = pattern;
    this.#signal = signal;
  }

  /** Indexes of the matching lines. */
  matchingLines(text: string, path: string): Promise<readonly number[]> {
    return this.#ask({ text }, `the pattern takes too long (in ${path}); write it without nested repetitions`);
  }

  /** The paths that match; a glob without a slash matches the base name. */
  async matchingPaths(paths: readonly string[], glob: string): Promise<readonly string[]> {
    const found = await this.#ask({ paths, glob }, "the glob takes too long; write a simpler one");
    return found.flatMap((index) => paths[index] ?? []);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #ask(task: Task, timeoutMessage: string): Promise<readonly number[]> {
    const worker = (this.#worker ??= await this.#start());
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = once(worker, "message", { signal: AbortSignal.any([this.#signal, timeout]) });
      // Worker threads have no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(task);
      const [found] = (await answer) as [readonly number[]];
      return found;
    } catch (error) {
      await this.close();
      this.#signal.throwIfAborted();
      if (timeout.aborted) throw new ToolFailed(timeoutMessage);
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
