import { delay } from "../../kit/clock.ts";
import type { Orchestration } from "./orchestration.ts";

const RETRY_MS = 1000;

/**
 * Repeats a write that supervision depends on until the database takes it: what happened to a process happened,
 * whether the database is there or not. Undefined when the daemon stops first; the next one finds out by itself.
 */
export async function insist<T>(o: Orchestration, what: string, write: () => Promise<T>): Promise<T | undefined> {
  while (!o.stopping.aborted) {
    try {
      return await write();
    } catch (error) {
      o.logger.warn({ err: error, what }, "supervision waits for the database");
      await delay(RETRY_MS, o.stopping);
    }
  }
  return undefined;
}
