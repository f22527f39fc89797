import { writeSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { closeDescriptor, openPipe } from "../processes/process-limits.ts";
import type { SocketRules } from "./socket-decision.ts";
import type { ListenerReleased, SupervisorData, SupervisorOrder } from "./supervisor-messages.ts";

/** Limits of the JavaScript heap, which holds only calls that are being answered. */
const HEAP_MB = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };
const WAKE = Buffer.from([0]);

/** The main thread's side of a thread that carries out `connect`, `bind` and `listen` of programs. It waits in the kernel. */
export class SupervisorThread {
  readonly #worker: Worker;
  /** Writing wakes the thread, closing ends it. */
  readonly #wake: number;
  readonly #served = new Map<number, PromiseWithResolvers<void>>();
  #failure: Error | null = null;
  #isOpen = true;
  /** Resolves when the thread has ended: with its failure, or with null after `end()`. By then its listeners are closed. */
  readonly ended: Promise<Error | null>;

  private constructor(worker: Worker, { read, write }: ReturnType<typeof openPipe>) {
    this.#worker = worker;
    this.#wake = write;
    worker.unref();
    const end = () => this.end();
    // A process that exits waits for its threads.
    process.once("exit", end);
    worker.on("message", ({ released }: ListenerReleased) => this.#close(released));
    worker.on("error", (error) => (this.#failure = error));
    this.ended = new Promise((resolve) => {
      worker.once("exit", () => {
        process.off("exit", end);
        const hasFailed = this.#isOpen;
        this.end();
        closeDescriptor(read);
        for (const listener of this.#served.keys()) this.#close(listener);
        resolve(hasFailed ? (this.#failure ?? new Error("the thread has ended")) : this.#failure);
      });
    });
  }

  /** `program` is the text of supervisor-worker.ts as a bundle. */
  static async open(program: string): Promise<SupervisorThread> {
    const { Worker } = await import("node:worker_threads");
    const pipe = openPipe();
    const workerData: SupervisorData = { wake: pipe.read };
    const options = { eval: true, name: "sockets", workerData, env: {}, execArgv: [], resourceLimits: HEAP_MB };
    return new SupervisorThread(new Worker(program, options), pipe);
  }

  /**
   * Takes over a listener. Resolves when it is closed: after `release`, or when the thread has ended. Calls that wait for
   * it, and later ones, then get ENOSYS.
   */
  serve(listener: number, rules: SocketRules): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#served.set(listener, closed);
    if (this.#isOpen) this.#order({ kind: "serve", listener, rules });
    else this.#close(listener);
    return closed.promise;
  }

  release(listener: number): void {
    if (this.#isOpen && this.#served.has(listener)) this.#order({ kind: "release", listener });
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeDescriptor(this.#wake);
  }

  #order(order: SupervisorOrder): void {
    // Worker threads have no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(order);
    writeSync(this.#wake, WAKE);
  }

  #close(listener: number): void {
    const closed = this.#served.get(listener);
    if (closed === undefined) return;
    this.#served.delete(listener);
    closeDescriptor(listener);
    closed.resolve();
  }
}
