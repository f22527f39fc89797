import { delay } from "../../../shared/clock.ts";
import { LaunchFailed, type LimitedLauncher } from "../../../sandbox/programs.ts";
import { ToolFailed } from "../tool.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** For output still in the pipe after exit. */
const DRAIN_MS = 1000;
const SHOWN_TAIL = 4000;

export interface Program {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called for each chunk of output. */
  readonly onOutput: () => void;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Standard output and error. */
  readonly output: string;
  /** Number of background processes that were ended. */
  readonly leftBehind: number;
}

/**
 * Runs a program until it exits or the signal aborts; when the promise settles, none of its processes is left. Throws
 * `ToolFailed` when it cannot be started.
 */
export async function runProgram(
  launcher: Pick<LimitedLauncher, "start">,
  { argv, cwd, env, signal, onOutput }: Program,
): Promise<ProgramEnd> {
  const program = await orToolFailed(launcher.start({ argv, cwd, env, streams: "output" }));
  const { stdout, exceeded } = program;
  const printed = new Printed();
  const flood = new AbortController();
  stdout.on("data", (chunk: Buffer) => {
    printed.add(chunk);
    onOutput();
    if (printed.bytes > MAX_OUTPUT_BYTES) flood.abort();
  });
  const closed = new Promise<void>((resolve) => {
    stdout.once("close", resolve);
  });
  const stop = AbortSignal.any([signal, flood.signal, exceeded]);
  await Promise.race([program.exited.catch(() => undefined), aborted(stop)]);
  const cutOff = stop.aborted;
  const leftBehind = await program.tree.end();
  await Promise.race([closed, delay(DRAIN_MS)]);
  try {
    if (flood.signal.aborted) throw ended(printed, `the output exceeded ${MAX_OUTPUT_BYTES} bytes`);
    if (exceeded.aborted) throw ended(printed, String(exceeded.reason));
    if (cutOff) throw ended(printed, null);
    const exit = await orToolFailed(program.exited);
    const limit = program.limitReached(exit);
    if (limit !== null) throw ended(printed, limit);
    return { ...exit, output: printed.text(), leftBehind };
  } finally {
    program.dispose();
  }
}

async function orToolFailed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof LaunchFailed ? new ToolFailed(error.message) : error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function ended(printed: Printed, reason: string | null): ToolFailed {
  const text = printed.text();
  const end = text.slice(-SHOWN_TAIL).toWellFormed();
  const shown = text === "" ? "there was no output" : `end of the output:\n${end}`;
  return new ToolFailed(
    `${reason === null ? "" : `${reason}; `}the command and its child processes were ended; ${shown}`,
  );
}

const HEAD_BYTES = 512 * 1024;
const TAIL_BYTES = 512 * 1024;

/** Keeps the first and last 512 KiB of a program's output. */
class Printed {
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const first = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.#tail.push(rest);
    this.#tailBytes += rest.length;
    for (let oldest = this.#tail[0]; oldest !== undefined; oldest = this.#tail[0]) {
      if (this.#tailBytes - oldest.length < TAIL_BYTES) break;
      this.#tailBytes -= oldest.length;
      this.#tail.shift();
    }
  }

  text(): string {
    const left = this.bytes - this.#headBytes - this.#tailBytes;
    if (left === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString("utf8");
    const [head, tail] = [this.#head, this.#tail].map((chunks) => Buffer.concat(chunks).toString("utf8"));
    return `${head}\n… [${left} bytes omitted] …\n${tail}`;
  }
}
