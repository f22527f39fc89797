import { delay } from "../../kit/clock.ts";
import { listOverdue } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { ApiError } from "../api-error.ts";
import { abandonProvision, abandonStart, finishDestroy, finishStop } from "./end-passing.ts";
import type { Orchestration } from "./orchestration.ts";

const LOOK_EVERY_MS = 5000;
/** A failed drive is tried again after this. */
const AGAIN_MS = 30_000;

/**
 * Drives every state past its deadline to the nearest resting one, whatever became of the operation that should have
 * ended it; and tries again to end engines that would not die. Until the daemon stops.
 */
export async function driveOverdue(o: Orchestration): Promise<void> {
  const driven = new Map<string, number>();
  while (await delay(LOOK_EVERY_MS, o.stopping)) {
    for (const row of await overdue(o)) {
      if ((driven.get(row.id) ?? 0) > performance.now()) continue;
      driven.set(row.id, performance.now() + AGAIN_MS);
      void drive(o, row).finally(() => driven.delete(row.id));
    }
  }
}

async function overdue(o: Orchestration): Promise<readonly EngineRow[]> {
  try {
    return await listOverdue(o.db, o.settings.portRange.hostId);
  } catch (error) {
    o.logger.warn({ err: error }, "engines past their deadline cannot be looked for");
    return [];
  }
}

async function drive(o: Orchestration, row: EngineRow): Promise<void> {
  const fields = { engine_id: row.id, incarnation: row.incarnation, state: row.state };
  o.logger.warn(fields, "an engine's state is past its deadline: it is ended");
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
