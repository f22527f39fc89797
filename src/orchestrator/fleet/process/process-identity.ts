import { readFileSync } from "node:fs";
import { hasCode } from "../../../shared/error-code.ts";

export const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** Whether any process has the pid, a zombie included. Signal 0 only tests. */
export function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
    // The process exists but belongs to another user.
    if (hasCode(error, "EPERM")) return true;
    throw error;
  }
}
