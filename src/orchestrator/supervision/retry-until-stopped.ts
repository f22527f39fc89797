import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import type { Move } from "../store/engine-states.ts";
import { findSettledEngine } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";

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

/**
 * Retries a move until the database answers. An attempt whose result was lost may have been committed: a row already in
 * the target state and incarnation was moved by it. Resolves with null when the move does not apply, and with undefined
 * when the daemon stops first.
 */
export function retryMove(
  host: Pick<HostContext, "db" | "states" | "logger" | "stopping">,
  what: string,
  /** Called for each attempt, for the times that it sets. The incarnation stays the same. */
  nextAttempt: () => Move,
): Promise<EngineRow | null | undefined> {
  let lost = false;
  return retryUntilStopped(host, what, async () => {
    const move = nextAttempt();
    try {
      return (await host.states.move(move)) ?? (lost ? await movedEarlier(host, move) : null);
    } catch (error) {
      lost = true;
      throw error;
    }
  });
}

/** The row that an earlier attempt of this move has moved, or null. */
async function movedEarlier(
  host: Pick<HostContext, "db">,
  { id, to, incarnation, set }: Move,
): Promise<EngineRow | null> {
  const row = await findSettledEngine(host.db, id);
  const expected = set?.incarnation ?? incarnation;
  return row?.state === to && row.incarnation === expected ? row : null;
}
