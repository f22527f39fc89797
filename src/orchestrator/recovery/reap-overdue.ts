import { delay } from "../../shared/clock.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { findEngineById, listOverdue, listTended } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { ApiError } from "../api-error.ts";
import { abandonStart, finishDestroy, finishStop, startAfresh } from "./finish-transition.ts";
import type { HostContext } from "../host-context.ts";
import { abandonProvision } from "../operations/provision-engine.ts";
import { reconcileEngine } from "./reconcile-fleet.ts";
import { restartLater } from "../supervision/supervise-engine.ts";

const LOOK_EVERY_MS = 2000;
/** An engine that would not die is ended again this long after the last try. */
const AGAIN_MS = 30_000;

/**
 * Finishes, until the daemon stops, what nobody else will: states past their deadline, whatever became of the operation
 * that should have ended them; transient states without an owner, whose operation has failed; engines that should run
 * and are not watched; engines that would not die before.
 */
export async function reapOverdue(o: HostContext): Promise<void> {
  const driven = new Set<string>();
  let suspects: ReadonlySet<string> = new Set();
  while (await delay(LOOK_EVERY_MS, o.stopping)) {
    try {
      const { hostId } = o.settings.portRange;
      const overdue = await listOverdue(o.db, hostId);
      const untended = (await listTended(o.db, hostId)).filter((engine) => !isTended(o, engine));
      const stages = untended.map(({ incarnation, state }) => `${incarnation} ${state}`);
      // Seen twice: an operation that is just ending, or beginning, is none that is missing.
      const forgotten = await rowsOf(
        o,
        untended.filter((_, at) => suspects.has(stages[at] ?? "")),
      );
      suspects = new Set(stages);
      for (const row of forgotten) drive(o, row, { why: "nobody looks after it", driven });
      for (const row of overdue) drive(o, row, { why: "it is past its deadline", driven });
    } catch (error) {
      o.logger.warn({ err: error }, "engines that nobody looks after cannot be looked for");
    }
  }
}

const isTended = (o: HostContext, { id, state }: Pick<EngineRow, "id" | "state">): boolean =>
  o.owners.has(id) || (isRunning(state) && o.live.get(id) !== undefined);

async function rowsOf(o: HostContext, engines: readonly { readonly id: string }[]): Promise<readonly EngineRow[]> {
  const rows = await Promise.all(engines.map(({ id }) => findEngineById(o.db, id)));
  return rows.filter((row) => row !== null).filter((row) => !isTended(o, row));
}

/** In the background, once at a time. */
function drive(
  o: HostContext,
  row: EngineRow,
  { why, driven }: { readonly why: string; readonly driven: Set<string> },
) {
  const { id, incarnation, state } = row;
  if (driven.has(id)) return;
  driven.add(id);
  const fields = { engine_id: id, incarnation, state, why };
  o.logger.warn(fields, "finish an engine's transition");
  const isOwned = o.owners.has(id);
  o.owners
    .own(id, () => end(o, row, isOwned))
    .catch((error: unknown) => {
      // That it still would not die, or moved on meanwhile, is on its record.
      if (!(error instanceof ApiError))
        o.logger.error({ ...fields, err: error }, "failed to finish an engine's transition");
    })
    .finally(() => driven.delete(id));
}

async function end(o: HostContext, row: EngineRow, isOwned: boolean): Promise<void> {
  switch (row.state) {
    case "provisioning":
      return abandonProvision(o, row);
    case "starting":
      if (!row.provisioned) return abandonProvision(o, row);
      return isOwned ? abandonStart(o, row) : startAfresh(o, row);
    case "stopping":
      return finishStop(o, row);
    case "destroying":
      return finishDestroy(o, row);
    case "stop_failed":
      return row.desired_state === "destroyed" ? finishDestroy(o, row) : stopAgain(o, row);
    case "running":
    case "unhealthy":
      return reconcileEngine(o, row);
    case "backoff":
      return restartLater(o, row);
    case "stopped":
    case "failed":
      return undefined;
    default:
      return row.state satisfies never;
  }
}

async function stopAgain(o: HostContext, { id, incarnation }: EngineRow): Promise<void> {
  const deadline = new Date(o.now() + AGAIN_MS);
  const stopping = await o.states.move({
    id,
    from: ["stop_failed"],
    to: "stopping",
    incarnation,
    set: { deadline_at: deadline },
    event: { reason: "it would not die before" },
  });
  if (stopping !== null) await finishStop(o, stopping);
}
