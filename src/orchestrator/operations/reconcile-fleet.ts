import type { LiveEngine } from "../fleet/live-engines.ts";
import { probeOnce } from "../fleet/health-probe.ts";
import { listEnginesOfHost } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { destroyRow } from "./destroy-engine.ts";
import { endProcess, recordedProcess } from "./end-process.ts";
import { describeError } from "./last-error.ts";
import { engineUrl } from "./engine-record.ts";
import { controlToken } from "./launch-order.ts";
import type { Orchestration } from "./orchestration.ts";
import { undoProvision } from "./provision-engine.ts";
import { settleStop } from "./stop-engine.ts";
import { restartLater, restartOrGiveUp, superviseEngine } from "./supervise-engine.ts";

const PROBE_TIMEOUT_MS = 2000;
const TERM_MS = 2000;

/**
 * What a starting daemon does with what an earlier one left, row by row:
 *
 * provisioning, starting (provision)  its caller never got the key: undone, nothing is left
 * starting, running, unhealthy        the same process still answers: adopted; gone: as after a crash
 * backoff                             started when its time comes
 * stopping, destroying                finished
 * stopped, failed, stop_failed        left at rest
 *
 * Resolves when every engine that still runs is looked after; restarts go on behind.
 */
export async function reconcileFleet(o: Orchestration): Promise<{ readonly adopted: number }> {
  const rows = await listEnginesOfHost(o.db, o.settings.portRange.hostId);
  const adopted = await Promise.all(rows.map((row) => reconcile(o, row)));
  return { adopted: adopted.filter((done) => done === "adopted").length };
}

async function reconcile(o: Orchestration, row: EngineRow): Promise<"adopted" | "settled"> {
  switch (row.state) {
    case "provisioning":
    case "starting":
      if (row.provisioned) return adopt(o, row, "starting");
      await endProcess(o, row, { drainMs: 0, termMs: TERM_MS });
      await undoProvision(o, row);
      return "settled";
    case "running":
    case "unhealthy":
      return adopt(o, row, row.state);
    case "backoff":
      inBackground(o, row, restartLater(o, row));
      return "settled";
    case "stopping":
      inBackground(
        o,
        row,
        endProcess(o, row, { drainMs: 0, termMs: TERM_MS }).then((end) => settleStop(o, row, end)),
      );
      return "settled";
    case "destroying":
      inBackground(o, row, destroyRow(o, row, { keepData: false }));
      return "settled";
    case "stopped":
    case "failed":
    case "stop_failed":
      return "settled";
    default:
      return row.state satisfies never;
  }
}

/** An engine is ours again when the recorded process lives and the health answer carries its identity. */
async function adopt(
  o: Orchestration,
  row: EngineRow,
  state: "starting" | "running" | "unhealthy",
): Promise<"adopted" | "settled"> {
  const process = recordedProcess(o, row);
  const url = engineUrl(o.settings.engineHost, row.port);
  const identity = { engineId: row.id, incarnation: row.incarnation, timeoutMs: PROBE_TIMEOUT_MS };
  const alive = process !== null && (await probeOnce(url, identity)).kind === "ok";
  if (!alive) {
    if (process !== null) await process.stop(TERM_MS);
    const reason =
      process === null ? "the engine ended while no daemon watched" : "the engine did not answer the new daemon";
    const lastError = await describeError(o, row.id, { phase: "run", reason });
    const { id, incarnation } = row;
    const healthyForMs = row.started_at === null ? 0 : o.now() - row.started_at.getTime();
    inBackground(o, row, restartOrGiveUp(o, { id, incarnation, from: [state], lastError, healthyForMs }));
    return "settled";
  }
  const live: LiveEngine = {
    id: row.id,
    incarnation: row.incarnation,
    url,
    controlToken: controlToken(o, row),
    process,
    healthySince: row.started_at?.getTime() ?? o.now(),
    lastOkAt: o.now(),
    consecutiveFailures: 0,
    lastActiveAt: null,
    lastActiveStored: 0,
  };
  o.live.add(live);
  if (state !== "running") {
    const { id, incarnation } = row;
    await o.states.move({
      id,
      from: [state],
      to: "running",
      incarnation,
      set: { started_at: row.started_at ?? new Date(o.now()) },
    });
  }
  superviseEngine(o, live);
  return "adopted";
}

function inBackground(o: Orchestration, { id }: EngineRow, work: Promise<unknown>): void {
  work.catch((error: unknown) => o.logger.error({ err: error, engine_id: id }, "an engine could not be reconciled"));
}
