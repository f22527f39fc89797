import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LANDLOCK, landlockAbi, restrictSelf } from "./landlock/landlock.ts";
import { dropCapabilities } from "./processes/process-limits.ts";
import { unlessGone } from "./processes/process-table.ts";
import { programFileRules } from "./programs/program-files.ts";

/** What {@link confine} leaves to this process. */
export interface ProcessRules {
  /** Absolute paths to read and execute, besides programs of the system. One that does not exist is skipped. */
  readonly read?: readonly string[];
  /** Absolute paths to read and write. One that does not exist is skipped. */
  readonly write?: readonly string[];
  /** TCP ports to connect to, on any host. Null does not limit them. Default: none. */
  readonly connect?: readonly number[] | null;
  /** TCP ports to listen on; 0 stands for one that the kernel chooses. Null does not limit them. Default: none. */
  readonly listen?: readonly number[] | null;
}

const TASKS = "/proc/self/task";
/** Threads of Node.js that call no system call for JavaScript. */
const HARMLESS_THREADS = ["DelayedTaskSche", "node-V8Worker", "SignalInspector"];
/** Also on a busy machine. */
const NAMED_WITHIN_MS = 2000;
const POLL_MS = 1;

/**
 * Confines this process, and all that it starts, for good. Root loses its capabilities. Throws, with nothing confined,
 * where the kernel cannot keep the rules, and when a thread runs already that they would not reach: call it before the
 * first asynchronous file operation and the first worker thread.
 */
export function confine({ read = [], write = [], connect = [], listen = [] }: ProcessRules): void {
  const { abi, problem } = landlockAbi();
  if (problem !== null) throw new Error(problem);
  if ((connect !== null || listen !== null) && abi < LANDLOCK.networkAbi)
    throw new Error(`Landlock ABI ${abi} has no rules for TCP; Linux 6.7 or newer has them`);
  const other = otherThread();
  if (other !== undefined)
    throw new Error(`the thread ${other} runs already, and would not be confined: call confine before what starts it`);
  dropCapabilities();
  restrictSelf({ ...programFileRules({ read, write }), connect, bind: listen });
}

/** The name of a thread that would not be confined. */
function otherThread(): string | undefined {
  const own = nameOf(String(process.pid));
  const end = performance.now() + NAMED_WITHIN_MS;
  for (;;) {
    const ids = readdirSync(TASKS).filter((id) => Number(id) !== process.pid);
    const others = ids.map(nameOf).filter((name) => name !== null && !HARMLESS_THREADS.includes(name));
    const other = others.find((name) => name !== own) ?? others[0];
    // A thread that is being started has the name of its parent.
    if (other !== own || performance.now() >= end) return other ?? undefined;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/** Null when the thread has ended. */
const nameOf = (id: string): string | null => unlessGone(() => readFileSync(join(TASKS, id, "comm"), "utf8").trim());
