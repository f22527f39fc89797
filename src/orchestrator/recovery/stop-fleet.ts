import PQueue from "p-queue";
import { memoize } from "../../shared/memoize.ts";
import { type Product, findProduct } from "../store/products.ts";
import { listEnginesOfHost } from "../store/host-engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { finishDestroy, finishSleep, finishStop } from "./finish-transition.ts";
import { abandonProvision } from "../operations/undo-provision.ts";
import { endProcess } from "../supervision/end-process.ts";
import { retryMove, retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import type { EngineHost } from "../host-context.ts";

const TERM_MS = 10_000;
const WRITES = 10;

/**
 * Stops every engine of this host after a drain of its product's `drain_s`. Their desired state stays `running`, so the
 * next daemon restarts them. Unfinished transitions of an earlier daemon are finished.
 * Tested in test/end-to-end/host.test.ts.
 */
export async function stopFleet(host: EngineHost): Promise<{ stopped: number; failed: readonly string[] }> {
  const rows = await listEnginesOfHost(host.db, host.settings.portRange.hostId);
  const database = {
    // Many engines share a product.
    findProduct: memoize((id: string) => findProduct(host.db, id)),
    writes: new PQueue({ concurrency: WRITES }),
  };
  const ends = await Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      end: await stop(host, row, database).catch((error: unknown) => {
        // An engine that cannot be stopped must not prevent the other stops.
        host.logger.error({ err: error, engine_id: row.id }, "failed to stop an engine");
        return "failed" as const;
      }),
    })),
  );
  return {
    stopped: ends.filter(({ end }) => end === "stopped").length,
    failed: ends.filter(({ end }) => end === "failed").map(({ id }) => id),
  };
}

/** Processes end at once; the database is read once a product, and written by a few at a time. */
interface BoundedDatabase {
  readonly findProduct: (id: string) => Promise<Product | null>;
  readonly writes: PQueue;
}

async function stop(
  host: EngineHost,
  row: EngineRow,
  database: BoundedDatabase,
): Promise<"stopped" | "failed" | "not_running"> {
  switch (row.state) {
    case "provisioning":
      await abandonProvision(host, row);
      return "not_running";
    case "starting":
      if (row.provisioned) return stopProcess(host, row, database);
      await abandonProvision(host, row);
      return "not_running";
    case "running":
    case "unhealthy":
      return stopProcess(host, row, database);
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

async function stopProcess(
  host: EngineHost,
  row: EngineRow,
  { findProduct: find, writes }: BoundedDatabase,
): Promise<"stopped" | "failed"> {
  const product = await retryUntilStopped(host, "stop", () => find(row.product_id));
  const drainMs = (product?.record.policy.drain_s ?? 0) * 1000;
  const end = await endProcess(host, row, { drainMs, termMs: TERM_MS });
  if (end.kind === "survived") {
    host.logger.error({ engine_id: row.id, reason: end.reason }, "failed to stop an engine");
    return "failed";
  }
  await writes.add(() =>
    retryMove(host, "stop", () => ({
      id: row.id,
      from: ["starting", "running", "unhealthy"],
      to: "backoff",
      incarnation: row.incarnation,
      set: { handle: null, next_restart_at: new Date(host.now()) },
      event: { type: "engine.stopped", reason: "orchd --stop-engines", data: { result: end.kind } },
    })),
  );
  return "stopped";
}
