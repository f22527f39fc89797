import type { EventType } from "../../contract/orchestrator/event-types.ts";
import type { EndedRunState } from "../../contract/orchestrator/schedule-runs.ts";
import type { HostContext } from "../host-context.ts";
import type { Trx } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { RunRow } from "../store/schedule-tables.ts";
import { moveRun, pruneRuns } from "../store/scheduled-runs.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";

type Host = Pick<HostContext, "db" | "events" | "runs" | "directory" | "metrics" | "now" | "logger" | "stopping">;

export interface RunEnd {
  /** The id of its turn, if the run does not have it yet. */
  readonly turnId?: string;
  readonly state: EndedRunState;
  readonly error: string | null;
}

const EVENT_OF: Readonly<Record<EndedRunState, EventType>> = {
  done: "schedule.ran",
  failed: "schedule.failed",
  refused: "schedule.failed",
  missed: "schedule.missed",
};

/** Records the end of a run with its event, retried until the database answers. Does nothing to a run that has ended. */
export async function endRun(host: Host, run: RunRow, { state, error, turnId }: RunEnd): Promise<void> {
  const ended = await retryUntilStopped(host, "end of a scheduled run", () =>
    host.db.transaction().execute(async (trx) => {
      const moved = await moveRun(trx, {
        id: run.id,
        to: state,
        error,
        at: new Date(host.now()),
        ...(turnId !== undefined && { turnId }),
      });
      if (moved === null) return null;
      await pruneRuns(trx, moved);
      await insertEndEvent(host, trx, moved);
      return moved;
    }),
  );
  // Undefined when the daemon stops first. The next daemon finds the run open.
  if (ended === undefined) return;
  host.runs.ended(run);
  if (ended !== null) await countRunOutcome(host, ended);
}

/** Writes the event of a run that has ended. It must be the last statement of the transaction. */
export const insertEndEvent = (host: Pick<Host, "events">, trx: Trx, run: RunRow): Promise<void> =>
  insertRunEvent(host, trx, { type: EVENT_OF[run.state as EndedRunState], run });

/** Writes an event of a run, without its message. It must be the last statement of the transaction. */
export async function insertRunEvent(
  { events }: Pick<Host, "events">,
  trx: Trx,
  { type, run }: { readonly type: EventType; readonly run: RunRow },
): Promise<void> {
  const engine = await findEngineById(trx, run.engine_id);
  if (engine === null) return;
  const { id, schedule_id, webhook_id, task_id, due_at, state, turn_id, error } = run;
  await events.insert(trx, {
    type,
    engine,
    reason: error,
    data: { run_id: id, schedule_id, webhook_id, task_id, due_at: due_at.toISOString(), state, turn_id },
  });
}

/** Counts an ended run in the metrics. */
export async function countRunOutcome(
  { metrics, directory }: Pick<Host, "metrics" | "directory">,
  { product_id, schedule_id, state }: RunRow,
): Promise<void> {
  const product = await directory.slugOf(product_id).catch(() => null);
  const outcome = state as EndedRunState;
  const trigger = schedule_id === null ? "webhook" : "schedule";
  metrics.scheduledRuns.inc({ product: product ?? product_id, trigger, outcome });
}
