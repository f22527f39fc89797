import type { Move } from "../store/engine-states.ts";
import { findSettledEngine } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";

/**
 * A move that supervision depends on, repeated until the database answers. A try whose answer was lost may have been
 * committed: a row that already is where the move leads, in the life that the move belongs to, was moved by us.
 * Undefined when the daemon stops first.
 */
export function retryMove(
  host: Pick<HostContext, "db" | "states" | "logger" | "stopping">,
  what: string,
  /** Asked anew for each try, for times that it sets; the life that it begins stays the same. */
  nextTry: () => Move,
): Promise<EngineRow | null | undefined> {
  let lost = false;
  return retryUntilStopped(host, what, async () => {
    const move = nextTry();
    try {
      return (await host.states.move(move)) ?? (lost ? await movedBefore(host, move) : null);
    } catch (error) {
      lost = true;
      throw error;
    }
  });
}

/** The row that an earlier try of this move has moved; null when somebody else has. */
async function movedBefore(
  host: Pick<HostContext, "db">,
  { id, to, incarnation, set }: Move,
): Promise<EngineRow | null> {
  const row = await findSettledEngine(host.db, id);
  const life = set?.incarnation ?? incarnation;
  return row?.state === to && row.incarnation === life ? row : null;
}
