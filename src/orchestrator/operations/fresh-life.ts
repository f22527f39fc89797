import { randomUUID } from "node:crypto";
import type { Orchestration } from "./orchestration.ts";

/** What a row gets when a new life begins: nothing of the process before. */
export function freshLife<T extends object>(o: Orchestration, more: T) {
  return {
    incarnation: randomUUID(),
    pid: null,
    boot_id: null,
    process_start: null,
    next_restart_at: null,
    stopped_at: null,
    deadline_at: new Date(o.now() + 2 * o.settings.bootTimeoutMs),
    ...more,
  };
}
