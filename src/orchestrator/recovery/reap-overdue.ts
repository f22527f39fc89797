import { delay } from "../../shared/clock.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { findEngineById, listOverdue, listActiveEngines } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { ApiError } from "../api-error.ts";
import { abandonStart, finishDestroy, finishStop, retryStart } from "./finish-transition.ts";
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
export async function reapOverdue(host: HostContext): Promise<void> {
  const driven = new Set<string>();
  let suspects: ReadonlySet<string> = new Set();
  while (await delay(LOOK_EVERY_MS, host.stopping)) {
    try {
      const { hostId } = host.settings.portRange;
      const overdue = await listOverdue(host.db, hostId);
      const untended = (await listActiveEngines(host.db, hostId)).filter((engine) => !isTended(host, engine));
      const stages = untended.map(({ incarnation, state }) => `${incarnation} ${state}`);
      // Seen twice: an operation that is just ending, or beginning, is none that is missing.
      const forgotten = await rowsOf(
        host,
        untended.filter((_, at) => suspects.has(stages[at] ?? "")),
      );
      suspects = new Set(stages);
      for (const row of forgotten) drive(host, row, { why: "nobody looks after it", driven });
      for (const row of overdue) drive(host, row, { why: "it is past its deadline", driven });
    } catch (error) {
      host.logger.warn({ err: error }, "engines that nobody looks after cannot be looked for");
    }
  }
}

const isTended = (
  host: Pick<HostContext, "live" | "owners">,
  { id, state }: Pick<EngineRow, "id" | "state">,
): boolean => host.owners.has(id) || (isRunning(state) && host.live.get(id) !== undefined);

async function rowsOf(
  host: Pick<HostContext, "db" | "live" | "owners">,
  engines: readonly { readonly id: string }[],
): Promise<readonly EngineRow[]> {
  const rows = await Promise.all(engines.map(({ id }) => findEngineById(host.db, id)));
  return rows.filter((row) => row !== null).filter((row) => !isTended(host, row));
}

/** In the background, once at a time. */
function drive(
  host: HostContext,
  row: EngineRow,
  { why, driven }: { readonly why: string; readonly driven: Set<string> },
) {
  const { id, incarnation, state } = row;
  if (driven.has(id)) return;
  driven.add(id);
  const fields = { engine_id: id, incarnation, state, why };
  host.logger.warn(fields, "finish an engine's transition");
  const isOwned = host.owners.has(id);
  host.owners
    .own(id, () => end(host, row, isOwned))
    .catch((error: unknown) => {
      // That it still would not die, or moved on meanwhile, is on its record.
      if (!(error instanceof ApiError))
        host.logger.error({ ...fields, err: error }, "failed to finish an engine's transition");
    })
    .finally(() => driven.delete(id));
}

async function end(host: HostContext, row: EngineRow, isOwned: boolean): Promise<void> {
  switch (row.state) {
    case "provisioning":
      return abandonProvision(host, row);
    case "starting":
      if (!row.provisioned) return abandonProvision(host, row);
      return isOwned ? abandonStart(host, row) : retryStart(host, row);
    case "stopping":
      return finishStop(host, row);
    case "destroying":
      return finishDestroy(host, row);
    case "stop_failed":
      return row.desired_state === "destroyed" ? finishDestroy(host, row) : stopAgain(host, row);
    case "running":
    case "unhealthy":
      return reconcileEngine(host, row);
    case "backoff":
      return restartLater(host, row);
    case "stopped":
    case "failed":
      return undefined;
    default:
      return row.state satisfies never;
  }
}

async function stopAgain(
  host: Pick<HostContext, "states" | "backend" | "live" | "boots" | "box" | "settings" | "now" | "logger">,
  { id, incarnation }: EngineRow,
): Promise<void> {
  const deadline = new Date(host.now() + AGAIN_MS);
  const stopping = await host.states.move({
    id,
    from: ["stop_failed"],
    to: "stopping",
    incarnation,
    set: { deadline_at: deadline },
    event: { reason: "it would not die before" },
  });
  if (stopping !== null) await finishStop(host, stopping);
}
