import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../shared/background.ts";
import { shownProcess } from "../../contract/orchestrator/engine-handle.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { awaitHealthy } from "../engine-calls/health-probe.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { type RestartVerdict, judgeExit } from "../rules/restart.ts";
import { findSettledEngine } from "../store/engines.ts";
import { discardOrphanedFiles } from "./boot-engine.ts";
import { launchAsLeader } from "./launch-as-leader.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext, StartingHost } from "../host-context.ts";
import type { UnexpectedExit } from "./supervisor.ts";
import { rulesText } from "./follow-models.ts";
import { allowedText } from "./tell-allowed.ts";

const ABANDON_TERM_MS = 2000;

/** The restart rule applied to the restart history in memory. */
export const judgeFromMemory = (
  host: Pick<HostContext, "now">,
  live: LiveEngine,
  exit: UnexpectedExit,
): RestartVerdict =>
  judgeExit({
    exitCode: exit.lastError.exit_code,
    healthyForMs: exit.healthyForMs,
    history: live.restarts,
    now: host.now(),
    random: Math.random(),
  });

interface Revival {
  readonly exit: UnexpectedExit;
  readonly verdict: Extract<RestartVerdict, { kind: "restart" }>;
}

/**
 * Restarts an engine while the database is unavailable, from the launch order in memory. I2 commit before spawn: the new
 * process keeps the committed incarnation, so that the row identifies it. Returns null when it does not become healthy.
 */
export async function reviveEngine(
  host: StartingHost,
  live: LiveEngine,
  { exit, verdict }: Revival,
): Promise<LiveEngine | null> {
  if (!(await host.breaker.waitForPermit(host.stopping))) return null;
  const request = { productId: live.productId, requested: false };
  const revived = await host.bootQueue.run(request, () => reviveInSlot(host, live, verdict));
  if (revived === null) return null;
  host.logger.warn({ engine_id: live.id, incarnation: live.incarnation }, "restarted an engine without the database");
  inBackground("record of a revival", record(host, revived, { exit, verdict }), { engine_id: revived.id });
  return revived;
}

/** Null as well when a start has claimed the engine since: the database is available again. */
async function reviveInSlot(
  host: Pick<HostContext, "backend" | "leadership" | "settings" | "logger" | "stopping" | "boots" | "live" | "now">,
  live: LiveEngine,
  verdict: Revival["verdict"],
): Promise<LiveEngine | null> {
  const { id, incarnation } = live;
  if (host.boots.has(id) || host.live.get(id) !== undefined) return null;
  const abort = new AbortController();
  const settled = relaunch(host, live, abort.signal).then((process) => {
    const revived = process && revivedEngine(host, live, { process, verdict });
    if (revived !== null) host.live.add(revived);
    return revived;
  });
  const entry = { incarnation, abort: (reason: string) => abort.abort(new Error(reason)), settled };
  host.boots.set(id, entry);
  try {
    return await settled;
  } finally {
    if (host.boots.get(id) === entry) host.boots.delete(id);
  }
}

function revivedEngine(
  host: Pick<HostContext, "now">,
  live: LiveEngine,
  { process, verdict }: { readonly process: EngineProcess; readonly verdict: Revival["verdict"] },
): LiveEngine {
  const now = host.now();
  return {
    ...live,
    process,
    restarts: verdict.history,
    supervisedAt: performance.now(),
    suspensionSent: live.order.launch.suspended ?? null,
    isRetryingSuspension: false,
    modelsSent: rulesText(live.order.launch.models),
    allowedSent: allowedText(live.order.launch.allowed),
    cooldownsSent: new Map(),
    modelFailedAt: null,
    healthySince: now,
    lastOkAt: now,
    consecutiveFailures: 0,
    stopCause: null,
    report: null,
  };
}

async function relaunch(
  host: Pick<HostContext, "backend" | "leadership" | "settings" | "logger" | "stopping">,
  { id, incarnation, order }: LiveEngine,
  overtaken: AbortSignal,
): Promise<EngineProcess | null> {
  const signal = AbortSignal.any([host.stopping, overtaken]);
  let process: EngineProcess;
  try {
    process = await launchAsLeader(host, order, signal);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: id }, "failed to restart an engine without the database");
    return null;
  }
  const { exited } = process;
  const deadlineMs = host.settings.bootTimeoutMs;
  const identity = { engineId: id, incarnation };
  const verdict = await awaitHealthy({ url: process.address, ...identity, exited, deadlineMs, signal });
  await process.settle();
  if (verdict.kind === "healthy" && !overtaken.aborted) return process;
  await process.stop(ABANDON_TERM_MS);
  return null;
}

/** Records the exit and the new process once the database is available. A stop or a destroy that came first wins. */
async function record(
  host: Pick<HostContext, "db" | "states" | "backend" | "lanes" | "logger" | "stopping">,
  { id, productId, incarnation, process, healthySince, order }: LiveEngine,
  { exit, verdict }: Revival,
): Promise<void> {
  const { handle } = process;
  const { count, windowStartedAt } = verdict.history;
  const recorded = await retryUntilStopped(host, "revival", async () => {
    // An earlier attempt may have been committed. Its event is written once.
    const row = await findSettledEngine(host.db, id);
    if (row?.incarnation === incarnation && isDeepStrictEqual(row.handle, handle)) return row;
    return host.states.move({
      id,
      from: ["running", "unhealthy"],
      to: "running",
      incarnation,
      set: {
        handle: JSON.stringify(handle),
        started_at: new Date(healthySince),
        last_error: JSON.stringify(exit.lastError),
        restart_count: count,
        restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
      },
      event: {
        type: "engine.restarting",
        always: true,
        reason: exit.lastError.reason,
        data: { restart: count, ...shownProcess(handle) },
      },
    });
  });
  if (recorded !== null) return;
  await retryUntilStopped(host, "overtaken revival", async () => {
    await process.stop(ABANDON_TERM_MS);
    await discardOrphanedFiles(host, { id, product_id: productId, user_id: order.launch.user_id });
  });
}
