import type { EngineProcess } from "../fleet/engine-backend.ts";
import { awaitHealthy } from "../fleet/health-probe.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { type RestartVerdict, judgeExit } from "../rules/restart.ts";
import { findSettledEngine } from "../store/engines.ts";
import { removeOrphanedFolder } from "./remove-orphaned-folder.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";
import type { UnexpectedExit } from "./unexpected-exit.ts";

const GIVE_UP_TERM_MS = 2000;

/** What follows from an end, by the restarts that are remembered. */
export const judgeFromMemory = (
  host: Pick<HostContext, "now">,
  live: LiveEngine,
  end: UnexpectedExit,
): RestartVerdict =>
  judgeExit({
    exitCode: end.lastError.exit_code,
    healthyForMs: end.healthyForMs,
    history: live.restarts,
    now: host.now(),
    random: Math.random(),
  });

interface Revival {
  readonly end: UnexpectedExit;
  readonly verdict: Extract<RestartVerdict, { kind: "restart" }>;
}

/**
 * Starts an engine that ended while the database is away, from what is remembered of it. It keeps the incarnation that
 * the database knows, so that whoever reads the row next recognises the process. Null when it does not come up.
 */
export async function reviveEngine(
  host: HostContext,
  live: LiveEngine,
  { end, verdict }: Revival,
): Promise<LiveEngine | null> {
  if (!(await host.breaker.pass(host.stopping))) return null;
  const turn = { productId: live.productId, requested: false };
  const process = await host.bootQueue.run(turn, () => launchAgain(host, live));
  if (process === null) return null;
  host.logger.warn(
    { engine_id: live.id, incarnation: live.incarnation },
    "an engine was restarted without the database",
  );
  const now = host.now();
  const revived: LiveEngine = {
    ...live,
    process,
    restarts: verdict.history,
    healthySince: now,
    lastOkAt: now,
    consecutiveFailures: 0,
    endedBecause: null,
  };
  host.live.add(revived);
  void record(host, revived, { end, verdict });
  return revived;
}

async function launchAgain(
  host: Pick<HostContext, "backend" | "settings" | "logger" | "stopping">,
  { id, incarnation, url, order }: LiveEngine,
): Promise<EngineProcess | null> {
  let process: EngineProcess;
  try {
    process = await host.backend.launch(order);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: id }, "an engine could not be restarted without the database");
    return null;
  }
  const { exited } = process;
  const deadlineMs = host.settings.bootTimeoutMs;
  const identity = { engineId: id, incarnation };
  const verdict = await awaitHealthy({ url, ...identity, exited, deadlineMs, signal: host.stopping });
  process.discardLaunchFile();
  if (verdict.kind === "healthy") return process;
  await process.stop(GIVE_UP_TERM_MS);
  return null;
}

/** Writes the end and the new process down as soon as the database takes it; a stop or a destroy that was quicker wins. */
async function record(
  host: Pick<HostContext, "db" | "states" | "lanes" | "settings" | "logger" | "stopping">,
  { id, productId, incarnation, process, healthySince, order }: LiveEngine,
  { end, verdict }: Revival,
): Promise<void> {
  const { pid, bootId, startTime } = process.handle;
  const { count, windowStartedAt } = verdict.history;
  const written = await retryUntilStopped(host, "revival", async () => {
    // Written before, by a try whose answer was lost: its event is told once.
    const row = await findSettledEngine(host.db, id);
    if (row?.incarnation === incarnation && row.pid === pid && row.process_start === startTime) return row;
    return host.states.move({
      id,
      from: ["running", "unhealthy"],
      to: "running",
      incarnation,
      set: {
        pid,
        boot_id: bootId,
        process_start: startTime,
        started_at: new Date(healthySince),
        last_error: JSON.stringify(end.lastError),
        restart_count: count,
        restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
      },
      event: { type: "engine.restarting", always: true, reason: end.lastError.reason, data: { restart: count, pid } },
    });
  });
  if (written !== null) return;
  await retryUntilStopped(host, "revival that was overtaken", async () => {
    await process.stop(GIVE_UP_TERM_MS);
    await removeOrphanedFolder(host, { id, product_id: productId, user_id: order.launch.user_id });
  });
}
