import { readFile, statfs } from "node:fs/promises";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { ENGINE_STATES, type EngineState, type HostStatus, type Isolation } from "../../contract/orchestrator-api.ts";
import { VERSION } from "../../shared/version.ts";
import { mayRewriteAudit } from "../store/migrate.ts";
import { MANY_CRASHES, engineWarning } from "../rules/engine-warning.ts";
import { RESTART_RULE } from "../rules/restart.ts";
import { countByState, listIncarnations, listTroubledEngines } from "../store/host-engines.ts";
import { portUse } from "../store/ports.ts";
import type { HostContext } from "../host-context.ts";
import type { ProductCost } from "./metrics.ts";
import { costsToday } from "./usage-today.ts";

const MIB = 1_048_576;
/** Engines in trouble that are named; many have one cause. */
const MAX_NAMED = 10;
export const UNPROTECTED_AUDIT =
  "the role of DATABASE_URL may rewrite the audit log: give orchd a role that does not own the tables (see docs/operating.md)";

type StatusParts = Pick<
  HostContext,
  | "db"
  | "backend"
  | "backups"
  | "live"
  | "places"
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
  const [counts, use, resources, ephemeral, unprotected, backup, troubled] = await Promise.all([
    countByState(host.db, portRange.hostId),
    portUse(host.db, portRange),
    hostResources(dataDir),
    ephemeralPorts(),
    mayRewriteAudit(host.db),
    host.backups.status(),
    engineWarnings(host),
  ]);
  const ports = {
    min: portRange.min,
    max: portRange.max,
    ...use,
    free: use.total - use.taken - use.resting - use.quarantined,
  };
  const overlap = overlapWarning(portRange, ephemeral);
  const slowStart = host.backend.startProblem();
  const { ready, target, problem } = host.backend.spares.report();
  const headroom =
    use.taken > use.total * 0.8
      ? [`${use.taken} of ${use.total} ports are taken: widen ORCH_PORT_MIN..ORCH_PORT_MAX`]
      : [];
  return {
    version: VERSION,
    host_id: portRange.hostId,
    uptime_s: Math.floor(process.uptime()),
    draining: host.readiness.draining,
    breaker: host.breaker.isOpen ? "open" : "closed",
    engines: Object.fromEntries(ENGINE_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<
      EngineState,
      number
    >,
    awake: { engines: host.live.ids().size, limit: host.places.limit },
    boots: { starting: host.bootQueue.starting, waiting: host.bootQueue.waiting },
    spares: { ready, target, problem },
    ports,
    load: {
      average: loadavg()[0] ?? 0,
      cores: availableParallelism(),
      memory_available_mb: resources.memoryAvailableMb,
      memory_total_mb: Math.round(totalmem() / MIB),
      disk_free_mb: resources.diskFreeMb,
    },
    isolation: isolationReport(host),
    backup,
    orphans: await host.backend.list(await listIncarnations(host.db, portRange.hostId)),
    warnings: [
      ...(overlap === null ? [] : [overlap]),
      ...headroom,
      ...(unprotected ? [UNPROTECTED_AUDIT] : []),
      ...(slowStart === null ? [] : [slowStart]),
      ...(problem === null ? [] : [problem]),
      ...(backup.problem === null ? [] : [backup.problem]),
      ...troubled,
    ],
  };
}

/** Engines that need a person, the first of them by name. */
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

/** What engines and tools of this host are confined by, and what is missing. */
export const isolationReport = ({ isolation, backend }: Pick<HostContext, "isolation" | "backend">): Isolation => ({
  mode: isolation.report.mode,
  parts: [...isolation.report.parts, backend.limitsReport()],
});

/** A warning when the port range overlaps the kernel's ephemeral ports, which outgoing connections may occupy. */
export function overlapWarning(
  { min, max }: { readonly min: number; readonly max: number },
  ephemeral: readonly [number, number] | null,
): string | null {
  if (ephemeral === null || max < ephemeral[0] || min > ephemeral[1]) return null;
  return (
    `ORCH_PORT_MIN..ORCH_PORT_MAX (${min}..${max}) overlaps the kernel's ephemeral ports ` +
    `(${ephemeral[0]}..${ephemeral[1]}, net.ipv4.ip_local_port_range): an engine may find its port taken`
  );
}

/** Null where the file is missing. */
export async function ephemeralPorts(): Promise<readonly [number, number] | null> {
  const text = await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").catch(() => "");
  const [low, high] = text.trim().split(/\s+/).map(Number);
  return low !== undefined && high !== undefined && low > 0 ? [low, high] : null;
}

interface HostResources {
  readonly memoryAvailableMb: number;
  /** On the file system of the data folder. */
  readonly diskFreeMb: number;
}

/** Free disk and available memory of the host, in MiB. */
export async function hostResources(dataDir: string): Promise<HostResources> {
  const [disk, memory] = await Promise.all([statfs(dataDir), readFile("/proc/meminfo", "utf8").catch(() => "")]);
  const availableKb = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  return {
    diskFreeMb: Math.floor((disk.bavail * disk.bsize) / MIB),
    // Where the kernel does not report it, memory does not limit admission.
    memoryAvailableMb: availableKb === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(Number(availableKb) / 1024),
  };
}

/** The metrics as text. While the database is unavailable, without those that need it. */
export async function readMetrics(host: HostContext): Promise<{ readonly text: string; readonly contentType: string }> {
  const text = await host.metrics.text({
    events: host.events.written,
    draining: host.readiness.draining,
    backups: host.backups.outcomes,
    breakerOpen: host.breaker.isOpen,
    starting: host.bootQueue.starting,
    waiting: host.bootQueue.waiting,
    spares: host.backend.spares.report(),
    ...(await tryDatabaseMetrics(host)),
  });
  return { text, contentType: host.metrics.contentType };
}

async function tryDatabaseMetrics(
  host: HostContext,
): Promise<{ readonly host: HostStatus | null; readonly costs: readonly ProductCost[] }> {
  try {
    return { host: await hostStatus(host), costs: await costsToday(host) };
  } catch (error) {
    host.logger.warn({ err: error }, "failed to read database metrics");
    return { host: null, costs: [] };
  }
}
