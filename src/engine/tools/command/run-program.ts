import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { delay } from "../../../shared/clock.ts";
import { readIdentity } from "../../../shared/processes.ts";
import { ToolFailed } from "../tool.ts";
import { CALL_MARK, CommandTree } from "../../isolation/command-tree.ts";
import { Printed } from "./printed.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** For output still in the pipe after exit. */
const DRAIN_MS = 1000;
const SHOWN_TAIL = 4000;

/** Merges both outputs into one pipe, in write order. */
const MERGE_OUTPUTS = ["-c", 'exec "$@" 2>&1', "sh"];

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

/** Runs a program until it exits or the signal aborts; when the promise settles, none of its processes is left. */
export async function runProgram({ argv, cwd, env, signal, onOutput }: Program): Promise<ProgramEnd> {
  const mark = randomUUID();
  const child = spawn("/bin/sh", [...MERGE_OUTPUTS, ...argv], {
    cwd,
    env: { ...env, [CALL_MARK]: mark },
    // A session and group of its own.
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
    throw new ToolFailed(`the command cannot be started (${error.code ?? error.message})`);
  }
  const tree = new CommandTree(process.platform === "linux" ? readIdentity(pid) : { pid, startTime: "0" }, mark);
  const exited = new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const printed = new Printed();
  const flood = new AbortController();
  child.stdout.on("data", (chunk: Buffer) => {
    printed.add(chunk);
    onOutput();
    if (printed.bytes > MAX_OUTPUT_BYTES) flood.abort();
  });
  const closed = new Promise<void>((resolve) => {
    child.stdout.once("close", resolve);
  });
  const stop = AbortSignal.any([signal, flood.signal]);
  await Promise.race([exited, aborted(stop)]);
  const cutOff = stop.aborted;
  const leftBehind = await tree.end();
  await Promise.race([closed, delay(DRAIN_MS)]);
  child.stdout.destroy();
  if (cutOff) throw new ToolFailed(abortMessage(printed, flood.signal.aborted));
  return { ...(await exited), output: printed.text(), leftBehind };
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
