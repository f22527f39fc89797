import { randomUUID } from "node:crypto";
import { execa } from "execa";
import { LAUNCH_FILE_VARIABLE } from "../../../../contract/engine/launch-file.ts";
import { SPARE_READY, type SpareClaim, encodeClaim, sparePath } from "../../../../contract/engine/spare.ts";
import { setOomScore, type ProcessIdentity, readIdentity } from "../../../../sandbox/processes.ts";
import { closeDescriptor, openSocketPair, sendMessage } from "../../../../sandbox/sockets.ts";
import type { ProcessExit } from "../../engine-backend.ts";
import { launchFilePath } from "../launch-file.ts";
import { ENGINE_OOM_SCORE } from "../engine-limits.ts";

/** The start timeout. It takes less than a second on an idle host. */
const READY_MS = 60_000;
const MAX_OUTPUT = 2000;

interface SpareStart {
  readonly nodePath: string;
  /** Options of Node.js, including those that restore a snapshot. */
  readonly nodeOptions: readonly string[];
  readonly engineEntry: string;
  readonly runDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A process that has loaded the engine's program and waits for its engine. It runs as the daemon's own user, knows no
 * secret, and reads nothing but its claim: one message on a socket that only this daemon holds. When the daemon ends, so
 * does the process.
 */
export class SpareProcess {
  readonly identity: ProcessIdentity;
  /** Resolves when it can be claimed. Rejects with the reason when it ends before, or takes too long. */
  readonly ready: Promise<void>;
  readonly exited: Promise<ProcessExit>;
  /** The path in its arguments by which a later daemon identifies it. */
  readonly path: string;
  readonly #kill: () => void;
  readonly #releaseOutput: () => void;
  #channel: number | null;

  /** Throws when no process can be started. */
  constructor({ nodePath, nodeOptions, engineEntry, runDir, environment }: SpareStart) {
    this.path = sparePath(launchFilePath(runDir, randomUUID()));
    const [own, other] = openSocketPair("messages");
    this.#channel = own;
    try {
      const started = execa(nodePath, [...nodeOptions, engineEntry, this.path], {
        cwd: "/",
        env: { ...environment, [LAUNCH_FILE_VARIABLE]: this.path },
        extendEnv: false,
        detached: true,
        cleanup: false,
        // The fourth is SPARE_CHANNEL. execa accepts any descriptor, but its types only up to 9.
        stdio: ["ignore", "pipe", "pipe", other as 3],
        buffer: false,
        reject: false,
      });
      const child = started.nodeChildProcess;
      if (started.pid === undefined) throw new Error("the process could not be started");
      this.exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
      this.#kill = () => child.kill("SIGKILL");
      const output = new Output([child.stdout, child.stderr]);
      this.#releaseOutput = () => output.close();
      this.ready = this.#awaitReady(output);
      this.ready.catch(() => undefined);
      child.unref();
      this.identity = readIdentity(started.pid);
      setOomScore(started.pid, ENGINE_OOM_SCORE);
    } catch (error) {
      this.end();
      throw error;
    } finally {
      closeDescriptor(other);
    }
  }

  /** Turns the spare into the engine of this claim. If that fails, it kills the spare and throws. */
  claim(claim: SpareClaim, { log, listener }: { readonly log: number; readonly listener: number }): void {
    const channel = this.#channel;
    if (channel === null) throw new Error("the spare was claimed before");
    try {
      sendMessage(channel, { data: encodeClaim(claim), descriptors: [log, listener] });
    } catch (error) {
      this.end();
      throw error;
    }
    this.#close();
  }

  /** Ends it, unless it was claimed. */
  end(): void {
    if (this.#channel === null) return;
    this.#close();
    this.#kill?.();
  }

  #close(): void {
    if (this.#channel !== null) closeDescriptor(this.#channel);
    this.#channel = null;
    this.#releaseOutput?.();
  }

  async #awaitReady(output: Output): Promise<void> {
    const deadline = AbortSignal.timeout(READY_MS);
    const late = new Promise<string>((resolve) => {
      deadline.addEventListener("abort", () => resolve(`it was not ready after ${READY_MS / 1000} s`));
    });
    const ended = this.exited.then(({ code, signal }) => `it ended with ${signal ?? code}`);
    const problem = await Promise.race([output.waitFor(SPARE_READY), ended, late]);
    if (problem === null) return;
    this.end();
    throw new Error([problem, output.lastLine].filter(Boolean).join(": "));
  }
}

/** A pipe's stream, which Node.js implements as a socket. */
type SpareStream = NodeJS.ReadableStream & { destroy?(): void; unref?(): void };

/** The output of a spare until it is claimed. */
class Output {
  readonly #streams: readonly SpareStream[];
  readonly #found = Promise.withResolvers<null>();
  #text = "";
  #expected: string | undefined;

  constructor(streams: readonly (SpareStream | null)[]) {
    this.#streams = streams.filter((stream) => stream !== null);
    for (const stream of this.#streams) {
      stream.on("data", (chunk: Buffer) => this.#add(chunk.toString()));
      stream.on("error", () => undefined);
      stream.unref?.();
    }
  }

  get lastLine(): string {
    return this.#text.trim().split("\n").at(-1) ?? "";
  }

  waitFor(text: string): Promise<null> {
    this.#expected = text;
    return this.#found.promise;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy?.();
  }

  #add(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_OUTPUT);
    if (this.#expected !== undefined && this.#text.includes(this.#expected)) this.#found.resolve(null);
  }
}
