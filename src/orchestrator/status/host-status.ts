import { availableParallelism, loadavg } from "node:os";
import {
  ENGINE_STATES,
  type EngineState,
  type HostStatus,
  type Isolation,
} from "../../contract/orchestrator/requests.ts";
import { VERSION } from "../../shared/version.ts";
import { mayRewriteAudit } from "../store/migrate.ts";
import { RESTORE_PAUSE } from "../rules/admission.ts";
import { MANY_CRASHES, engineWarning } from "../rules/engine-warning.ts";
import { RESTART_RULE } from "../rules/restart.ts";
import { countByPlan } from "../store/plans.ts";
import { countByState, listIncarnations, listTroubledEngines } from "../store/host-engines.ts";
import type { Db } from "../store/database.ts";
import { type PortRange, portUse } from "../store/ports.ts";
import { hostResources, memoryTotalMb } from "../../shared/host-resources.ts";
import type { Fleet, HostContext, Records, Runtime, Service, StartLimits } from "../host-context.ts";
import { costsToday } from "./costs-today.ts";

/** Ends the pause of schedules that a restore began. */
export const RESUME_SCHEDULES = "orchctl resume --schedules";
/** The most engines that warnings name. Many failures usually have one cause. */
const MAX_NAMED = 10;
export const UNPROTECTED_AUDIT =
  "the role of DATABASE_URL may rewrite the audit log: give orchd a role that does not own the tables (see docs/operating.md)";

type StatusParts = Pick<
  HostContext,
  | "db"
  | "backend"
  | "backups"
  | "live"
  | "awakeSlots"
  | "bootQueue"
  | "breaker"
  | "isolation"
  | "readiness"
  | "settings"
  | "now"
>;

/** The status of this host: engines, ports, load, orphaned processes and warnings. */
export async function hostStatus(host: StatusParts): Promise<HostStatus> {
  const { portRange, dataDir } = host.settings;
  const [counts, ports, resources, portProblem, unprotected, backup, troubled] = await Promise.all([
    countByState(host.db, portRange.hostId),
    portsOf(host.db, portRange),
    hostResources(dataDir),
    host.backend.portProblem(),
    mayRewriteAudit(host.db),
    host.backups.status(),
    engineWarnings(host),
  ]);
  const slowStart = host.backend.startProblem();
  const { ready, target, problem } = host.backend.spares.report();
  const headroom =
    ports !== null && ports.taken > ports.total * 0.8
      ? [`${ports.taken} of ${ports.total} ports are taken: widen ORCH_PORT_MIN..ORCH_PORT_MAX`]
      : [];
  return {
    version: VERSION,
    host_id: portRange.hostId,
    uptime_s: Math.floor(process.uptime()),
    draining: host.readiness.draining,
    schedules_paused: host.readiness.schedulesPaused,
    breaker: host.breaker.isOpen ? "open" : "closed",
    engines: Object.fromEntries(ENGINE_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<
      EngineState,
      number
    >,
    awake: {
      engines: host.live.ids().size,
      limit: host.awakeSlots.limit,
      engine_mb: Math.round(host.awakeSlots.engineMb),
    },
    boots: { starting: host.bootQueue.starting, waiting: host.bootQueue.waiting },
    spares: { ready, target, problem },
    ports,
    load: {
      average: loadavg()[0] ?? 0,
      cores: availableParallelism(),
      memory_available_mb: resources.memoryAvailableMb,
      memory_total_mb: memoryTotalMb(),
      disk_free_mb: resources.diskFreeMb,
    },
    isolation: isolationReport(host),
    backup,
    orphans: await host.backend.listOrphans(await listIncarnations(host.db, portRange.hostId)),
    warnings: [
      ...(portProblem === null ? [] : [portProblem]),
      ...headroom,
      ...(host.readiness.schedulesPaused ? [`${RESTORE_PAUSE}: ${RESUME_SCHEDULES}`] : []),
      ...(unprotected ? [UNPROTECTED_AUDIT] : []),
      ...(slowStart === null ? [] : [slowStart]),
      ...(problem === null ? [] : [problem]),
      ...(backup.problem === null ? [] : [backup.problem]),
      ...troubled,
    ],
  };
}

/** Null where engines listen on no ports of this host. */
async function portsOf(db: Db, range: PortRange): Promise<HostStatus["ports"]> {
  if (!range.isUsed) return null;
  const { min, max } = range;
  const use = await portUse(db, range);
  return { min, max, ...use, free: use.total - use.taken - use.resting - use.quarantined };
}

/** One warning for each engine in trouble, up to 10, and one for the rest. */
export async function engineWarnings({
  db,
  settings,
  now,
}: Pick<HostContext, "db" | "settings" | "now">): Promise<readonly string[]> {
  const since = new Date(now() - RESTART_RULE.windowMs);
  const limits = { crashes: MANY_CRASHES, since, limit: MAX_NAMED + 1 };
  const warnings = (await listTroubledEngines(db, settings.portRange.hostId, limits))
    .map(engineWarning)
    .filter((warning) => warning !== null);
  if (warnings.length <= MAX_NAMED) return warnings;
  return [...warnings.slice(0, MAX_NAMED), "more engines need a look: orchctl engines list --all --state failed"];
}

/** The isolation of engines and tools on this host, with its missing parts. */
export const isolationReport = ({ isolation, backend }: Pick<HostContext, "isolation" | "backend">): Isolation => ({
  mode: isolation.report.mode,
  parts: [...isolation.report.parts, backend.limitsReport()],
});

/** The metrics as text. While the database is unavailable, without those that need it. */
export async function readMetrics(
  host: Records & Fleet & StartLimits & Service & Runtime,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const text = await host.metrics.text({
    events: host.events.written,
    draining: host.readiness.draining,
    backups: host.backups.outcomes,
    breakerOpen: host.breaker.isOpen,
    starting: host.bootQueue.starting,
    waiting: host.bootQueue.waiting,
    spares: host.backend.spares.report(),
    broker: host.broker,
    awake: host.awakeSlots,
    ...(await tryDatabaseMetrics(host)),
  });
  return { text, contentType: host.metrics.contentType };
}

async function tryDatabaseMetrics(
  host: Records & Fleet & StartLimits & Service & Runtime,
): Promise<Pick<Parameters<typeof host.metrics.text>[0], "host" | "costs" | "plans">> {
  try {
    const plans = await countByPlan(host.db, host.settings.portRange.hostId);
    return { host: await hostStatus(host), costs: await costsToday(host), plans };
  } catch (error) {
    host.logger.warn({ err: error }, "failed to read database metrics");
    return { host: null, costs: [], plans: [] };
  }
}
