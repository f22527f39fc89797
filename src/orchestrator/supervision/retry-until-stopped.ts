import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";

const RETRY_MS = 1000;

/**
 * Retries a step that supervision depends on until it succeeds, most often a database write. Never rejects. Resolves
 * with undefined when the daemon stops first.
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
      host.logger.warn({ err: error, what }, "failed a supervision step, retrying");
      await delay(RETRY_MS, host.stopping);
    }
  }
  return undefined;
}
