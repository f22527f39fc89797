import type { HostContext } from "../host-context.ts";
import type { EngineRow } from "../store/tables.ts";

const TERM_MS = 2000;

/**
 * Ends the process of an earlier incarnation that was restarted without the database. Its exit may have been recorded
 * all the same, by a commit whose answer was lost, so that a start has claimed the engine since.
 */
export async function endRevival(
  host: Pick<HostContext, "boots" | "live">,
  { id, incarnation }: Pick<EngineRow, "id" | "incarnation">,
): Promise<void> {
  const revival = host.boots.get(id);
  revival?.abort("another start has claimed the engine");
  await revival?.settled.catch(() => undefined);
  const live = host.live.get(id);
  if (live === undefined || live.incarnation === incarnation) return;
  // Its exit is no crash.
  live.isStopping = true;
  await live.process.stop(TERM_MS);
  host.live.remove(id, live.incarnation);
}
