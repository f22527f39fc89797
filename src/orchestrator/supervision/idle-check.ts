import type { AwakeReason } from "../../contract/engine/sleep.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { storeActivity } from "../store/engines.ts";
import { idleMsOf } from "../rules/idleness.ts";
import { canSleep, putToSleep } from "./put-to-sleep.ts";
import { shareCooldowns } from "./follow-models.ts";
import { syncBudgets } from "./sync-budgets.ts";
import { readEngineStatus } from "./read-engine-status.ts";

/** The report is read at least this often, and with each probe while short work runs. `last_active_at` need not be exact. */
const REPORT_INTERVAL_MS = 60_000;
/** Work that soon ends. */
const SHORT_WORK: readonly AwakeReason[] = ["turn", "learning"];
/** The least change of `last_active_at` that is stored. */
const MIN_ACTIVITY_CHANGE_MS = 60_000;

/** Reads an engine's report when it is due, and puts the engine to sleep when it has been idle for its `idle_stop_s`. Never rejects. */
export async function checkIdle(host: EngineHost, live: LiveEngine): Promise<void> {
  const policy = await host.directory.policyOfEngine(live).catch(() => null);
  const idleStopMs = policy === null || policy.idle_stop_s === 0 ? null : policy.idle_stop_s * 1000;
  if (!isDue(live, idleStopMs, performance.now())) return;
  try {
    await readReport(host, live);
    if (idleStopMs !== null && isIdle(host, live, idleStopMs))
      await putToSleep(host, live, { reason: "idle", idleMs: idleStopMs });
  } catch (error) {
    // Most often the database is unavailable. Tried again with a later probe.
    host.logger.warn({ err: error, engine_id: live.id }, "failed to check whether an engine is idle");
  }
}

function isIdle(host: Pick<HostContext, "backend" | "settings">, live: LiveEngine, idleStopMs: number): boolean {
  const since = idleSince(live);
  return since !== null && performance.now() - since >= idleStopMs && canSleep(host, live);
}

const idleSince = ({ report }: LiveEngine): number | null => report?.idleSince ?? null;

/** Due when the engine may have been idle for `idleStopMs`: seldom more than once in that time. */
function isDue(live: LiveEngine, idleStopMs: number | null, now: number): boolean {
  const { report, activeTurns, modelFailedAt, isBudgetDue } = live;
  if (report === null || isBudgetDue || now - report.at >= REPORT_INTERVAL_MS) return true;
  // Other engines are to know of a model that fails.
  if (modelFailedAt !== report.modelFailedAt) return true;
  // The metrics then show turns while they run, and soon after; what ends soon is not shown for a minute more.
  if ((activeTurns ?? 0) > 0 || report.awake.some((reason) => SHORT_WORK.includes(reason))) return true;
  return idleStopMs !== null && now - (report.idleSince ?? report.at) >= idleStopMs;
}

/** The engine is not trusted: a time in the future is cut to now. */
async function readReport(host: EngineHost, live: LiveEngine): Promise<void> {
  const { modelFailedAt } = live;
  const status = await readEngineStatus(host, live);
  if (status === null) return;
  shareCooldowns(host, live, status.cooldowns ?? []);
  await syncBudgets(host, live, status.budgets);
  const { last_active_at, idle_since, awake, disk_bytes: diskBytes } = status;
  live.diskBytes = diskBytes ?? null;
  const at = performance.now();
  const idleMs = idleMsOf(status, host.now());
  live.report = {
    at,
    idleSince: idleMs === null ? null : at - idleMs,
    awake,
    modelFailedAt,
    shown: { idle_since, learning_due_at: status.learning_due_at ?? null },
    embeddings: status.embeddings ?? null,
  };
  if (last_active_at !== null) await recordActivity(host, live, Math.min(Date.parse(last_active_at), host.now()));
}

/** Stores `last_active_at`. After a reboot the most recently used engines start first. */
async function recordActivity(host: Pick<HostContext, "db" | "logger">, live: LiveEngine, at: number): Promise<void> {
  live.lastActiveAt = at;
  if (at - live.lastActiveStored < MIN_ACTIVITY_CHANGE_MS) return;
  try {
    await storeActivity(host.db, live.id, new Date(at));
    live.lastActiveStored = at;
  } catch (error) {
    // Retried with a later report.
    host.logger.warn({ err: error, engine_id: live.id }, "failed to store last_active_at");
  }
}
