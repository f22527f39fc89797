import { readFile } from "node:fs/promises";
import { backendPort } from "../../rules/backend-port.ts";
import { capacityProblem } from "../../rules/admission.ts";
import type { EngineBackend, CapacityFor } from "../engine-backend.ts";
import { engineUrl } from "../../engine-calls/engine-url.ts";
import { hostResources } from "../../../shared/host-resources.ts";

interface LocalHost {
  /** The address that engines listen on. */
  readonly host: string;
  readonly dataDir: string;
  readonly ports: PortLimits;
  /** MiB. Below it no engine is made. Omitted: none. */
  readonly diskReserveMb?: number;
}

interface PortLimits {
  readonly min: number;
  readonly max: number;
}

/** The answers of a backend whose engines use ports, memory and disk of the daemon's machine. */
export const onLocalHost = ({
  host,
  dataDir,
  ports,
  diskReserveMb = 0,
}: LocalHost): Pick<EngineBackend, "addressOf" | "capacityProblem" | "portProblem"> => ({
  addressOf: (engine) => engineUrl(host, backendPort(engine)),

  async capacityProblem(purpose: CapacityFor) {
    const { diskFreeMb, memoryAvailableMb } = await hostResources(dataDir);
    // An engine that wakes already has its files.
    return capacityProblem({
      memoryAvailableMb,
      diskFreeMb: purpose === "new" ? diskFreeMb : Infinity,
      forSpare: purpose === "spare",
      diskReserveMb,
    });
  },

  portProblem: async () => overlapProblem(ports, await ephemeralPorts()),
});

/** The kernel gives its ephemeral ports to outgoing connections. */
function overlapProblem({ min, max }: PortLimits, ephemeral: readonly [number, number] | null): string | null {
  if (ephemeral === null || max < ephemeral[0] || min > ephemeral[1]) return null;
  return (
    `ORCH_PORT_MIN..ORCH_PORT_MAX (${min}..${max}) overlaps the kernel's ephemeral ports ` +
    `(${ephemeral[0]}..${ephemeral[1]}, net.ipv4.ip_local_port_range): an engine may find its port taken`
  );
}

/** Null where the file is missing. */
async function ephemeralPorts(): Promise<readonly [number, number] | null> {
  const text = await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").catch(() => "");
  const [low, high] = text.trim().split(/\s+/).map(Number);
  return low !== undefined && high !== undefined && low > 0 ? [low, high] : null;
}
