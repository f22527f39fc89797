import { randomUUID } from "node:crypto";
import { delay } from "../../../shared/clock.ts";
import { LaunchFailed, type ToolLauncher } from "../../isolation/tool-launcher.ts";
import { ToolFailed } from "../tool.ts";
import { CALL_MARK, CommandTree } from "./command-tree.ts";
import { Printed } from "./printed.ts";

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
  launcher: ToolLauncher,
  { argv, cwd, env, signal, onOutput }: Program,
): Promise<ProgramEnd> {
  const mark = randomUUID();
  const order = { argv, cwd, env: { ...env, [CALL_MARK]: mark }, streams: "output" } as const;
  const program = await orToolFailed(launcher.start(order));
  const { stdout } = program;
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
  const stop = AbortSignal.any([signal, flood.signal]);
  await Promise.race([program.exited.catch(() => undefined), aborted(stop)]);
  const cutOff = stop.aborted;
  const leftBehind = await new CommandTree(program, mark).end();
  await Promise.race([closed, delay(DRAIN_MS)]);
  program.dispose();
  if (cutOff) throw new ToolFailed(abortMessage(printed, flood.signal.aborted));
  return { ...(await orToolFailed(program.exited)), output: printed.text(), leftBehind };
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

function abortMessage(printed: Printed, flooded: boolean): string {
  const reason = flooded ? `the output exceeded ${MAX_OUTPUT_BYTES} bytes; ` : "";
  const text = printed.text();
  const end = text.slice(-SHOWN_TAIL).toWellFormed();
  const shown = text === "" ? "there was no output" : `end of the output:\n${end}`;
  return `${reason}the command and its child processes were ended; ${shown}`;
}
