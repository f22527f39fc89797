import { ApiError } from "../api-error.ts";
import { findProduct } from "../store/products.ts";
import { listEnginesOfHost } from "../store/host-engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { finishDestroy, finishSleep, finishStop } from "./finish-transition.ts";
import { abandonProvision } from "../operations/undo-provision.ts";
import { endProcess } from "../supervision/end-process.ts";
import { retryMove, retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";

const TERM_MS = 10_000;

/**
 * Stops every engine of this host after a drain of its product's `drain_s`. Their desired state stays `running`, so the
 * next daemon restarts them. Unfinished transitions of an earlier daemon are finished.
 * Tested in test/end-to-end/host.test.ts.
 */
export async function stopFleet(host: HostContext): Promise<{ stopped: number; survived: readonly string[] }> {
  const rows = await listEnginesOfHost(host.db, host.settings.portRange.hostId);
  const ends = await Promise.all(rows.map(async (row) => ({ id: row.id, end: await stop(host, row) })));
  return {
    stopped: ends.filter(({ end }) => end === "stopped").length,
    survived: ends.filter(({ end }) => end === "survived").map(({ id }) => id),
  };
}

async function stop(host: HostContext, row: EngineRow): Promise<"stopped" | "survived" | "not_running"> {
  switch (row.state) {
    case "provisioning":
      await abandonProvision(host, row);
      return "not_running";
    case "starting":
      if (row.provisioned) return stopProcess(host, row);
      await abandonProvision(host, row);
      return "not_running";
    case "running":
    case "unhealthy":
      return stopProcess(host, row);
    case "stopping":
      await finishStop(host, row);
      return "not_running";
    case "destroying":
      await finishDestroy(host, row);
      return "not_running";
    case "sleeping":
      if (!isAsleep(row)) await finishSleep(host, row);
      return "not_running";
    case "backoff":
    case "stopped":
    case "failed":
    case "stop_failed":
      return "not_running";
    default:
      return row.state satisfies never;
  }
}

async function stopProcess(host: HostContext, row: EngineRow): Promise<"stopped" | "survived"> {
  // Retried: while many engines are stopped, a query may time out waiting for a connection of the pool.
  const product = await retryUntilStopped(host, "stop", () => findProduct(host.db, row.product_id));
  const drainMs = (product?.record.policy.drain_s ?? 0) * 1000;
  const end = await endProcess(host, row, { drainMs, termMs: TERM_MS }).catch((error: unknown) => {
    // An engine whose state the backend cannot tell must not prevent the other stops.
    if (!(error instanceof ApiError)) throw error;
    host.logger.error({ err: error, engine_id: row.id }, "failed to stop an engine");
    return null;
  });
  if (end === null || end.kind === "survived") return "survived";
  await retryMove(host, "stop", () => ({
    id: row.id,
    from: ["starting", "running", "unhealthy"],
    to: "backoff",
    incarnation: row.incarnation,
    set: { handle: null, next_restart_at: new Date(host.now()) },
    event: { type: "engine.stopped", reason: "orchd --stop-engines", data: { result: end.kind } },
  }));
  return "stopped";
}
