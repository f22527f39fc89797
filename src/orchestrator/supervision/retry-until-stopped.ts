import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";

const RETRY_MS = 1000;

/**
 * Repeats a step that supervision depends on until it succeeds, most often a write until the database takes it. Never
 * rejects. Undefined when the daemon stops first; the next one finds out by itself.
 */
export async function retryUntilStopped<T>(
  host: Pick<HostContext, "logger" | "stopping">,
  what: string,
  step: () => Promise<T>,
): Promise<T | undefined> {
  while (!host.stopping.aborted) {
    try {
      return await step();
    } catch (error) {
      host.logger.warn({ err: error, what }, "failed a step that supervision depends on; trying again");
      await delay(RETRY_MS, host.stopping);
    }
  }
  return undefined;
}
