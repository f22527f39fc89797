import type { EngineRecord, StopResult } from "../../contract/orchestrator/requests.ts";
import { ApiError } from "../api-error.ts";
import { mayStop } from "../rules/engine-lifecycle.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineRecord } from "../status/engine-record.ts";
import { type ProcessEnd, endProcess, recordStopFailure } from "../supervision/end-process.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";

const TERM_MS = 10_000;
const FORCED_TERM_MS = 500;
/** How often a stop is tried while other calls change the engine first. */
const MAX_ATTEMPTS = 5;

interface StopOptions {
  /** Seconds to wait for running turns. Default: the policy's `drain_s`. */
  readonly drainS?: number | undefined;
  /** Skips the drain and sends SIGKILL soon after SIGTERM. */
  readonly force?: boolean | undefined;
}

interface Stopped {
  readonly record: EngineRecord;
  readonly result: StopResult;
}

/**
 * Stops an engine: drains it, then sends SIGTERM and at last SIGKILL to the whole process tree.
 * Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export async function stopEngine(
  host: EngineHost,
  product: Product,
  { userId, options }: { readonly userId: string; readonly options: StopOptions },
): Promise<Stopped> {
  assertAllowed(product, "stop");
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const engine = await getEngineRow(host, product, userId);
    const verdict = mayStop(engine.state);
    if (verdict !== "go") throw new ApiError(verdict, `the engine is ${engine.state}`);
    const stopped = await host.transitions.own(engine.id, () => stopRow(host, product, { engine, options }));
    if (stopped !== null) return stopped;
  }
  throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
}

/** Null when another call changed the engine since it was read. */
async function stopRow(
  host: EngineHost,
  product: Product,
  { engine, options }: { readonly engine: EngineRow; readonly options: StopOptions },
): Promise<Stopped | null> {
  const drainS = options.force ? 0 : (options.drainS ?? product.record.policy.drain_s);
  const stopping = await host.states.move({
    id: engine.id,
    // `backoff` as well: a restart without the database may have begun.
    from: ["starting", "running", "unhealthy", "backoff", "sleeping", "stop_failed"],
    to: "stopping",
    set: {
      desired_state: "stopped",
      provisioned: true,
      stop_reason: "request",
      deadline_at: new Date(host.now() + drainS * 1000 + TERM_MS + 30_000),
    },
    event: { reason: "request", data: { drain_s: drainS } },
  });
  if (stopping === null) return null;
  const end = await endProcess(host, stopping, {
    drainMs: drainS * 1000,
    termMs: options.force ? FORCED_TERM_MS : TERM_MS,
    stopping: host.stopping,
  });
  return settleStop(host, stopping, end);
}

/** Records the outcome of a stop: `stopped`, or `stop_failed` with BACKEND_ERROR. */
export async function settleStop(
  host: Pick<HostContext, "states" | "backend" | "live" | "settings" | "now" | "logger">,
  engine: EngineRow,
  end: ProcessEnd,
): Promise<Stopped> {
  const { id, incarnation } = engine;
  if (end.kind === "survived") return recordStopFailure(host, engine, { from: "stopping", end });
  const stopped = await host.states.move({
    id,
    from: ["stopping"],
    to: "stopped",
    incarnation,
    set: stoppedColumns(host),
    event: { reason: "request", data: { result: end.kind } },
  });
  if (stopped === null) throw new ApiError("OPERATION_IN_PROGRESS", "the engine was destroyed while it was stopping");
  return { record: engineRecord(host, stopped), result: end.kind };
}

const stoppedColumns = (host: Pick<HostContext, "now">) => ({
  desired_state: "stopped" as const,
  handle: null,
  next_restart_at: null,
  stop_reason: "request",
  stopped_at: new Date(host.now()),
});
