import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../shared/background.ts";
import { shownProcess } from "../../contract/orchestrator/engine-handle.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { awaitHealthy } from "../engine-calls/health-probe.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { type RestartVerdict, judgeExit } from "../rules/restart.ts";
import { findSettledEngine } from "../store/engines.ts";
import { discardOrphanedFiles } from "./boot-engine.ts";
import { BootCancelled } from "./boot-queue.ts";
import { launchAsLeader } from "./launch-as-leader.ts";
import { ProcessSurvived } from "./process-survived.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { Fleet, HostContext, InFlight, Records, Runtime, StartLimits } from "../host-context.ts";
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

export type RevivingHost = Records & Fleet & InFlight & StartLimits & Runtime;

interface Revival {
  readonly exit: UnexpectedExit;
  readonly verdict: Extract<RestartVerdict, { kind: "restart" }>;
  /** Aborts when the daemon stops, or a stop, a destroy or a start has taken the engine over. */
  readonly signal: AbortSignal;
}

/**
 * Restarts an engine while the database is unavailable, from the launch order in memory. I2 commit before spawn: the new
 * process keeps the committed incarnation, so that the row identifies it. Returns null when it does not become healthy,
 * or was overtaken.
 */
export async function reviveEngine(
  host: RevivingHost,
  live: LiveEngine,
  { exit, verdict, signal }: Revival,
): Promise<LiveEngine | null> {
  if (!(await host.breaker.waitForPermit(signal))) return null;
  const request = { productId: live.productId, requested: false, signal };
  try {
    const process = await host.bootQueue.run(request, () => relaunch(host, live, signal));
    if (process === null) return null;
    const revived = revivedEngine(host, live, { process, verdict });
    host.live.add(revived);
    host.logger.warn({ engine_id: live.id, incarnation: live.incarnation }, "restarted an engine without the database");
    inBackground("record of a revival", record(host, revived, { exit, verdict }), { engine_id: revived.id });
    return revived;
  } catch (error) {
    if (error instanceof BootCancelled) return null;
    throw error;
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
  host: Pick<HostContext, "backend" | "leadership" | "settings" | "logger">,
  { id, incarnation, order }: LiveEngine,
  signal: AbortSignal,
): Promise<EngineProcess | null> {
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
  if (verdict.kind === "healthy") return process;
  const end = await process.stop(ABANDON_TERM_MS);
  if (end.kind === "survived") throw new ProcessSurvived(id, end);
  return null;
}

/** Records the exit and the new process once the database is available. A stop or a destroy that came first wins. */
async function record(
  host: Pick<HostContext, "db" | "states" | "backend" | "lanes" | "logger" | "stopping">,
  { id, productId, incarnation, process, healthySince, order }: LiveEngine,
  { exit, verdict }: Omit<Revival, "signal">,
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
