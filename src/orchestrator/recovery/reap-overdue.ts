import { delay } from "../../shared/clock.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { findEnginesById } from "../store/engines.ts";
import { listOverdue, listUnsettled } from "../store/host-engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { ApiError } from "../api-error.ts";
import { abandonStart, finishDestroy, finishSleep, finishStop, retryStart } from "./finish-transition.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { abandonProvision } from "../operations/undo-provision.ts";
import { reconcileEngine } from "./reconcile-fleet.ts";
import { cancelSleep } from "../supervision/put-to-sleep.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";

const SCAN_INTERVAL_MS = 2000;
/** The deadline of a retried stop. */
const STOP_RETRY_MS = 30_000;

/**
 * Finishes stuck engines until the daemon stops: states past their deadline, transient states without an owner, engines
 * that should run but are not supervised, and stops that failed before. `onScan` is called after each scan, also a
 * failed one.
 */
export async function reapOverdue(host: EngineHost, onScan: () => void): Promise<void> {
  const inProgress = new Set<string>();
  let seenBefore: ReadonlySet<string> = new Set();
  while (await delay(SCAN_INTERVAL_MS, host.stopping)) {
    try {
      const { hostId } = host.settings.portRange;
      const unsettled = await listUnsettled(host.db, hostId);
      const overdue = unsettled.some(({ isOverdue }) => isOverdue) ? await listOverdue(host.db, hostId) : [];
      const unsupervised = unsettled.filter((engine) => engine.isActive && !isSupervised(host, engine));
      const stages = unsupervised.map(({ incarnation, state }) => `${incarnation} ${state}`);
      // Only engines seen in two scans: an operation may just be starting or finishing.
      const stuck = await rowsOf(
        host,
        unsupervised.filter((_, at) => seenBefore.has(stages[at] ?? "")),
      );
      seenBefore = new Set(stages);
      for (const row of stuck) finish(host, row, { reason: "no operation owns it", inProgress });
      for (const row of overdue) finish(host, row, { reason: "it is past its deadline", inProgress });
    } catch (error) {
      host.logger.warn({ err: error }, "failed to scan for stuck engines");
    }
    onScan();
  }
}

const isSupervised = (
  host: Pick<HostContext, "live" | "transitions">,
  { id, state }: Pick<EngineRow, "id" | "state">,
): boolean => host.transitions.has(id) || (isRunning(state) && host.live.get(id) !== undefined);

async function rowsOf(
  host: Pick<HostContext, "db" | "live" | "transitions">,
  engines: readonly { readonly id: string }[],
): Promise<readonly EngineRow[]> {
  const ids = engines.map(({ id }) => id);
  return (await findEnginesById(host.db, ids)).filter((row) => !isSupervised(host, row));
}

/** Finishes one engine in the background, at most once at a time. */
function finish(
  host: EngineHost,
  row: EngineRow,
  { reason, inProgress }: { readonly reason: string; readonly inProgress: Set<string> },
) {
  const { id, incarnation, state } = row;
  if (inProgress.has(id)) return;
  inProgress.add(id);
  const fields = { engine_id: id, incarnation, state, reason };
  host.logger.warn(fields, "engine stuck in a transient state, finishing its transition");
  const isOwned = host.transitions.has(id);
  host.transitions
    .own(id, () => finishState(host, row, isOwned))
    .catch((error: unknown) => {
      // An ApiError is an expected outcome, recorded on the engine.
      if (!(error instanceof ApiError))
        host.logger.error({ ...fields, err: error }, "failed to finish an engine's transition");
    })
    .finally(() => inProgress.delete(id));
}

async function finishState(host: EngineHost, row: EngineRow, isOwned: boolean): Promise<void> {
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
      return row.desired_state === "destroyed" ? finishDestroy(host, row) : retryStop(host, row);
    case "running":
    case "unhealthy":
    case "backoff":
      return reconcileEngine(host, row);
    case "sleeping":
      return finishStuckSleep(host, row);
    case "stopped":
    case "failed":
      return undefined;
    default:
      return row.state satisfies never;
  }
}

/** Finishes a sleep whose operation failed, or cancels it: an engine that answers has not decided to sleep. */
async function finishStuckSleep(host: EngineHost, row: EngineRow): Promise<void> {
  const live = host.live.get(row.id);
  if (live === undefined) return reconcileEngine(host, row);
  const { url, controlToken: token } = live;
  if ((await engineStatus({ url, token })).kind === "failed") return finishSleep(host, row);
  await inSleepLane(host, row.id, () => cancelSleep(host, live, []));
}

async function retryStop(host: EngineHost, { id, incarnation }: EngineRow): Promise<void> {
  const deadline = new Date(host.now() + STOP_RETRY_MS);
  const stopping = await host.states.move({
    id,
    from: ["stop_failed"],
    to: "stopping",
    incarnation,
    set: { deadline_at: deadline },
    event: { reason: "an earlier stop failed" },
  });
  if (stopping !== null) await finishStop(host, stopping);
}
