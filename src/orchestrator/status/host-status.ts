import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { ENGINE_STATES, type EngineState, type HostStatus } from "../../contract/orchestrator-api.ts";
import { VERSION } from "../../shared/version.ts";
import { mayRewriteAudit } from "../store/daemon-privileges.ts";
import { countByState, listIncarnations } from "../store/host-engines.ts";
import { portUse } from "../store/ports.ts";
import { hostResources } from "./host-resources.ts";
import type { HostContext } from "../host-context.ts";

const MIB = 1_048_576;
export const UNPROTECTED_AUDIT =
  "the role of DATABASE_URL may rewrite the audit log: give orchd a role that does not own the tables (see docs/operating.md)";

/** The status of this host: engines, ports, load, orphaned processes and warnings. */
export async function hostStatus(
  host: Pick<HostContext, "db" | "backend" | "bootQueue" | "breaker" | "isolation" | "readiness" | "settings">,
): Promise<HostStatus> {
  const { portRange, dataDir } = host.settings;
  const [counts, use, resources, ephemeral, unprotected] = await Promise.all([
    countByState(host.db, portRange.hostId),
    portUse(host.db, portRange),
    hostResources(dataDir),
    ephemeralPorts(),
    mayRewriteAudit(host.db),
  ]);
  const ports = {
    min: portRange.min,
    max: portRange.max,
    ...use,
    free: use.total - use.taken - use.resting - use.quarantined,
  };
  const overlap = overlapWarning(portRange, ephemeral);
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
    boots: { starting: host.bootQueue.starting, waiting: host.bootQueue.waiting },
    ports,
    load: {
      average: loadavg()[0] ?? 0,
      cores: availableParallelism(),
      memory_available_mb: resources.memoryAvailableMb,
      memory_total_mb: Math.round(totalmem() / MIB),
      disk_free_mb: resources.diskFreeMb,
    },
    isolation: host.isolation.report,
    orphans: host.backend.orphans(new Set(await listIncarnations(host.db, portRange.hostId))),
    warnings: [...(overlap === null ? [] : [overlap]), ...headroom, ...(unprotected ? [UNPROTECTED_AUDIT] : [])],
  };
}

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
