import { delay } from "../../kit/clock.ts";
import { findEngineById, listOverdue, listRunning } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { ApiError } from "../api-error.ts";
import { abandonProvision, abandonStart, finishDestroy, finishStop } from "./end-passing.ts";
import type { Orchestration } from "./orchestration.ts";
import { reconcileEngine } from "./reconcile-fleet.ts";

const LOOK_EVERY_MS = 5000;
/** An engine that would not die is ended again this long after the last try. */
const AGAIN_MS = 30_000;

/**
 * Drives every state past its deadline to the nearest resting one, whatever became of the operation that should have
 * ended it; tries again to end engines that would not die; and looks after engines that should run and that nobody
 * looks after. Until the daemon stops.
 */
export async function driveOverdue(o: Orchestration): Promise<void> {
  const driven = new Set<string>();
  let suspects: ReadonlySet<string> = new Set();
  while (await delay(LOOK_EVERY_MS, o.stopping)) {
    try {
      const { hostId } = o.settings.portRange;
      const overdue = await listOverdue(o.db, hostId);
      const unwatched = (await listRunning(o.db, hostId)).filter(({ id }) => o.live.get(id) === undefined);
      // Seen twice: a watch that is just ending, or beginning, is none that is missing.
      const forgotten = await rowsOf(
        o,
        unwatched.filter(({ incarnation }) => suspects.has(incarnation)),
      );
      suspects = new Set(unwatched.map(({ incarnation }) => incarnation));
      for (const row of [...overdue, ...forgotten]) {
        if (driven.has(row.id)) continue;
        driven.add(row.id);
        void drive(o, row).finally(() => driven.delete(row.id));
      }
    } catch (error) {
      o.logger.warn({ err: error }, "engines past their deadline cannot be looked for");
    }
  }
}

async function rowsOf(o: Orchestration, engines: readonly { readonly id: string }[]): Promise<readonly EngineRow[]> {
  const rows = await Promise.all(engines.map(({ id }) => findEngineById(o.db, id)));
  return rows.filter((row) => row !== null);
}

async function drive(o: Orchestration, row: EngineRow): Promise<void> {
  const fields = { engine_id: row.id, incarnation: row.incarnation, state: row.state };
  o.logger.warn(fields, "an engine is in a state that nobody looks after");
  try {
    await end(o, row);
  } catch (error) {
    // That it still would not die, or moved on meanwhile, is on its record.
    if (!(error instanceof ApiError)) o.logger.error({ ...fields, err: error }, "an overdue state could not be ended");
  }
}

async function end(o: Orchestration, row: EngineRow): Promise<void> {
  switch (row.state) {
    case "provisioning":
      return abandonProvision(o, row);
    case "starting":
      return row.provisioned ? abandonStart(o, row) : abandonProvision(o, row);
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
    case "stopped":
    case "failed":
      return undefined;
    default:
      return row.state satisfies never;
  }
}

async function stopAgain(o: Orchestration, { id, incarnation }: EngineRow): Promise<void> {
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
