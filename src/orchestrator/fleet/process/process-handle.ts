import * as z from "zod/mini";
import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import { type ProcessIdentity, isAlive } from "../../../sandbox/processes.ts";
import { bootId } from "./process-identity.ts";

const BACKEND = "process";
const VERSION = 1;

const processHandle = z.object({
  backend: z.literal(BACKEND),
  version: z.literal(VERSION),
  pid: z.int(),
  /** The content of `/proc/sys/kernel/random/boot_id`. */
  bootId: z.string(),
  /** Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. */
  startTime: z.string(),
});

/** The handle of the process backend. Its fields identify a process together: pids alone are reused. */
export type ProcessHandle = z.output<typeof processHandle> & EngineHandle;

export const makeHandle = ({ pid, startTime }: ProcessIdentity, bootId: string): ProcessHandle => ({
  backend: BACKEND,
  version: VERSION,
  pid,
  bootId,
  startTime,
});

/** Null for the handle of another backend or of a newer daemon. */
export function readHandle(handle: EngineHandle): ProcessHandle | null {
  const read = z.safeParse(processHandle, handle);
  return read.success ? read.data : null;
}

/** As {@link isAlive}, for a recorded process, also of an earlier boot of the machine. */
export function sameProcess(handle: Pick<ProcessHandle, "pid" | "bootId" | "startTime">): boolean {
  return Number.isSafeInteger(handle.pid) && handle.pid > 1 && handle.bootId === bootId() && isAlive(handle);
}
