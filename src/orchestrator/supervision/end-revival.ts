import type { HostContext } from "../host-context.ts";
import type { EngineRow } from "../store/tables.ts";
import { ProcessSurvived } from "./process-survived.ts";

const TERM_MS = 2000;

/**
 * Ends a restart without the database of an engine whose exit was recorded all the same, by a commit whose answer was
 * lost. Comes before the claim of a start: a later daemon looks only for the processes of the incarnation that the row has.
 */
export async function endRevival(
  host: Pick<HostContext, "boots" | "live">,
  { id, incarnation }: Pick<EngineRow, "id" | "incarnation">,
): Promise<void> {
  const revival = host.boots.get(id);
  if (revival?.incarnation === incarnation) {
    revival.abort("another start claims the engine");
    await revival.settled.catch(() => undefined);
  }
  const live = host.live.get(id);
  if (live?.incarnation !== incarnation) return;
  // Its exit is no crash.
  live.isStopping = true;
  const end = await live.process.stop(TERM_MS);
  if (end.kind === "survived") throw new ProcessSurvived(id, end);
  host.live.remove(id, incarnation);
}
