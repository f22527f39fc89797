import type { Worker } from "node:worker_threads";
import type { ProcessIdentity } from "../processes/process-table.ts";
import type { Host } from "../host.ts";
import type { ThreadRules } from "./restrict-thread.ts";
import type { SpawnOrder, ThreadData, ThreadReport } from "./thread-messages.ts";
import { LaunchFailed, type ProgramExit, identifyProgram, spawnFailure } from "./program-launcher.ts";

/** Time for a thread to confine itself or to spawn a program, on a busy machine. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Limits of the JavaScript heap, which holds only programs that are being started. */
const HEAP_MB = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

type Started = ProcessIdentity & { readonly exited: Promise<ProgramExit> };

/** The main thread's side of a worker thread that has confined itself, and starts programs. */
export class LaunchThread {
  readonly #worker: Worker;
  readonly #inBackground: Host["inBackground"];
  readonly #identified: ThreadData["identified"];
  readonly #confined = Promise.withResolvers<number | null>();
  readonly #starting = new Map<number, PromiseWithResolvers<Started>>();
  readonly #running = new Map<number, PromiseWithResolvers<ProgramExit>>();
  #lastId = 0;
  #listener: number | null = null;
  #ending = false;
  #failure: Error | null = null;
  #over: LaunchFailed | null = null;
  /** Resolves when the thread has ended: with its failure, or with null after `end()`. */
  readonly ended: Promise<Error | null>;

  private constructor(worker: Worker, identified: ThreadData["identified"], inBackground: Host["inBackground"]) {
    this.#worker = worker;
    this.#inBackground = inBackground;
    this.#identified = identified;
    worker.on("message", (report: ThreadReport) => this.#receive(report));
    worker.on("error", (error) => (this.#failure = error));
    this.ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#abandon();
        resolve(this.#failure);
      });
    });
  }

  /**
   * Resolves when the thread is confined; rejects with {@link LaunchFailed} when it cannot be. `program` is the text of
   * launch-worker.ts as a bundle.
   */
  static async open(
    sandbox: ThreadRules,
    { program, inBackground }: { readonly program: string } & Pick<Host, "inBackground">,
  ): Promise<LaunchThread> {
    const { Worker } = await import("node:worker_threads");
    const identified = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadData = { sandbox, identified };
    const options = { eval: true, name: "programs", workerData, env: {}, execArgv: [], resourceLimits: HEAP_MB };
    const thread = new LaunchThread(new Worker(program, options), identified, inBackground);
    const late = "the thread that starts commands did not confine itself";
    thread.#listener = await thread.#answer(thread.#confined.promise, late);
    thread.#holdWhileBusy();
    return thread;
  }

  /** The listener of its supervised sockets, which its receiver closes. Null without. */
  get listener(): number | null {
    return this.#listener;
  }

  /** Whether no program of it runs. */
  get isIdle(): boolean {
    return this.#starting.size === 0 && this.#running.size === 0;
  }

  /** Rejects with {@link LaunchFailed}; by then the thread has no use for the descriptors of the order. */
  async start(order: Omit<SpawnOrder, "id">): Promise<Started> {
    if (this.#over !== null) throw this.#over;
    const id = ++this.#lastId;
    const started = Promise.withResolvers<Started>();
    this.#starting.set(id, started);
    this.#holdWhileBusy();
    // Worker threads have no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage({ ...order, id } satisfies SpawnOrder);
    return this.#answer(started.promise, "the thread that starts commands did not start one");
  }

  async end(): Promise<void> {
    this.#ending = true;
    this.#holdWhileBusy();
    await this.#worker.terminate();
  }

  /**
   * After the timeout the thread is ended first, and only then the answer rejects: a thread that came to the order later
   * would use descriptors that are others' by then.
   */
  async #answer<T>(answer: Promise<T>, late: string): Promise<T> {
    const timer = setTimeout(() => {
      this.#failure ??= new Error(`${late} within ${ANSWER_TIMEOUT_MS / 1000} s`);
      this.#inBackground("end of a silent thread that starts programs", this.end());
    }, ANSWER_TIMEOUT_MS);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(report: ThreadReport): void {
    switch (report.kind) {
      case "confined":
        return this.#confined.resolve(report.listener);
      case "started":
        this.#identify(report);
        break;
      case "failed":
        this.#starting.get(report.id)?.reject(spawnFailure(report));
        this.#starting.delete(report.id);
        break;
      case "exited": {
        const { id, exitCode, signal } = report;
        this.#running.get(id)?.resolve({ exitCode, signal });
        this.#running.delete(id);
        break;
      }
      default:
        return report satisfies never;
    }
    this.#holdWhileBusy();
  }

  #identify({ id, pid }: Extract<ThreadReport, { kind: "started" }>): void {
    const started = this.#starting.get(id);
    this.#starting.delete(id);
    try {
      const identity = identifyProgram(pid);
      const exit = Promise.withResolvers<ProgramExit>();
      exit.promise.catch(() => undefined);
      this.#running.set(id, exit);
      started?.resolve({ ...identity, exited: exit.promise });
    } catch (error) {
      started?.reject(error);
    } finally {
      Atomics.add(this.#identified, 0, 1);
      Atomics.notify(this.#identified, 0);
    }
  }

  /** An idle thread does not keep the process running, but for its end. */
  #holdWhileBusy(): void {
    if (this.isIdle && !this.#ending) this.#worker.unref();
    else this.#worker.ref();
  }

  #abandon(): void {
    const reason = this.#failure?.message ?? "it was ended";
    const failure = new LaunchFailed(`the thread that starts commands has ended: ${reason}`);
    this.#over = failure;
    for (const waiting of [this.#confined, ...this.#starting.values(), ...this.#running.values()])
      waiting.reject(failure);
    this.#starting.clear();
    this.#running.clear();
  }
}
