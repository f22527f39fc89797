import { readFileSync } from "node:fs";
import { maySignal, processFolder, sendSignal, unlessGone } from "./process-table.ts";

/** Every process that this one may signal. */
const ALL = -1;
const STOPPED_STATES = "TtZX";

export interface StoppableProgram {
  /** Stops its processes. */
  stop(): Promise<void>;
  resume(): void;
}

/** How many callers want all programs stopped: they go on with the last. */
let stops = 0;

/**
 * Stops all processes that this one may signal by one call, also those that hide or are being forked. Returns the function that
 * lets them go on; null where the kernel lets this process signal others too.
 */
export function stopAllPrograms(): (() => void) | null {
  if (maySignalOthers()) return null;
  stops += 1;
  sendSignal(ALL, "SIGSTOP");
  return () => {
    stops -= 1;
    if (stops === 0) sendSignal(ALL, "SIGCONT");
  };
}

/**
 * Stops the processes of all programs. `signalsOwnAlone`: the kernel lets this process signal its programs and nothing else.
 * Returns the function that lets them go on.
 */
export async function stopPrograms(
  programs: readonly StoppableProgram[],
  { signalsOwnAlone }: { readonly signalsOwnAlone: boolean },
): Promise<() => void> {
  const resumeAll = signalsOwnAlone ? stopAllPrograms() : null;
  if (resumeAll !== null) return resumeAll;
  await Promise.all(programs.map((program) => program.stop()));
  return () => programs.forEach((program) => program.resume());
}

/** Bytes that processes have written which were stopped, and have not ended the call in which they are. */
export function lateWrites(pids: readonly number[]): ReadonlyMap<number, number> {
  const running = pids.filter((pid) => !STOPPED_STATES.includes(stateOf(pid)));
  return new Map(running.map((pid) => [pid, writtenBytes(pid)]));
}

/** I3: the promise of the kernel is verified before a signal to all. */
function maySignalOthers(): boolean {
  return [1, process.ppid].some((pid) => pid > 0 && pid !== process.pid && maySignal(pid));
}

function stateOf(pid: number): string {
  const text = unlessGone(() => readFileSync(`${processFolder(pid)}/stat`, "utf8")) ?? ") X";
  return text.charAt(text.lastIndexOf(")") + 2);
}

/** Counts when a page becomes dirty, also before the call returns. */
function writtenBytes(pid: number): number {
  const text = unlessGone(() => readFileSync(`/proc/${pid}/io`, "utf8")) ?? "";
  return Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? 0);
}
