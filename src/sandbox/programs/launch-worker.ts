/**
 * The code of a thread that starts programs. It confines its own thread, for good, and then starts programs, which inherit that:
 * Landlock and seccomp belong to a thread. Nothing is started before.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { closeDescriptorsInPrograms } from "../processes/process-limits.ts";
import { restrictThread } from "./restrict-thread.ts";
import type { SpawnOrder, ThreadData, ThreadReport } from "./thread-messages.ts";

/** Time for the event loop of the main thread, which may be busy, to read a program's identity. */
const IDENTIFIED_WITHIN_MS = 20_000;

const { sandbox, identified } = workerData as ThreadData;
const port = parentPort as MessagePort;
closeDescriptorsInPrograms();
const listener = restrictThread(sandbox);
port.on("message", start);
report({ kind: "confined", listener });

function start({ id, argv, cwd, env, stdio }: SpawnOrder): void {
  const [file = "", ...args] = argv;
  let child: ChildProcess;
  try {
    // In a session and group of its own.
    child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio] });
  } catch (error) {
    return failed(id, error as NodeJS.ErrnoException);
  }
  const { pid } = child;
  if (pid === undefined) {
    child.once("error", (error) => failed(id, error));
    return;
  }
  child.once("exit", (exitCode, signal) => report({ kind: "exited", id, exitCode, signal }));
  const before = Atomics.load(identified, 0);
  report({ kind: "started", id, pid });
  // I3: this thread reaps, so the pid belongs to this program until the wait ends, even after its exit.
  Atomics.wait(identified, 0, before, IDENTIFIED_WITHIN_MS);
}

const failed = (id: number, { code, message }: NodeJS.ErrnoException): void =>
  report({ kind: "failed", id, code, message });

function report(message: ThreadReport): void {
  // Worker threads have no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  port.postMessage(message);
}
