import { readFile } from "node:fs/promises";
import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostStatus } from "../../../contract/orchestrator/records.ts";
import { freeSpace } from "../../../shared/folder-health.ts";
import type { HostContext } from "../../host-context.ts";

const LOW_DISK = { problemMb: 512, warningPercent: 5 };
const LOW_MEMORY_PERCENT = 5;
/** The share of taken ports that is a warning. */
const MANY_TAKEN = 0.8;
const FEW_OPEN_FILES = 4096;

/** Whether the host has ports, disk, memory and open files for more engines. */
export async function checkCapacity(
  { backend, settings }: Pick<HostContext, "backend" | "settings">,
  status: HostStatus,
): Promise<readonly HostCheck[]> {
  const ports = status.ports === null ? [] : [checkPorts(status.ports, await backend.portProblem())];
  return [...ports, await checkDisk(settings.dataDir), checkMemory(status.load), await checkLimits()];
}

function checkPorts(
  { min, max, total, taken, free, quarantined }: NonNullable<HostStatus["ports"]>,
  portProblem: string | null,
): HostCheck {
  const range = `${min} to ${max}`;
  const summary = `${free} of ${total} free (${range})`;
  if (free === 0) return failed("ports", summary, "widen ORCH_PORT_MIN..ORCH_PORT_MAX, or destroy engines");
  if (taken > total * MANY_TAKEN) return warned("ports", summary, "widen ORCH_PORT_MIN..ORCH_PORT_MAX");
  if (quarantined > 0)
    return warned("ports", `${summary}; another program has ${quarantined}`, `ss -ltnp shows who listens on ${range}`);
  if (portProblem !== null)
    return warned(
      "ports",
      portProblem,
      `sysctl -w net.ipv4.ip_local_reserved_ports=${min}-${max}, or change the range`,
    );
  return passed("ports", summary);
}

async function checkDisk(dataDir: string): Promise<HostCheck> {
  const { freeMb, freePercent, freeFilesPercent } = await freeSpace(dataDir);
  const summary = `${freeMb} MB (${freePercent} %) free for ${dataDir}`;
  const fix = `du -xsh ${dataDir}/engines/* | sort -h | tail shows the largest engines; docs/operating.md limits them`;
  if (freeMb < LOW_DISK.problemMb) return failed("disk", summary, fix);
  if (freeFilesPercent < 1) return failed("disk", `no room for new files (df -i ${dataDir})`, fix);
  return freePercent < LOW_DISK.warningPercent ? warned("disk", summary, fix) : passed("disk", summary);
}

function checkMemory({ memory_available_mb: free, memory_total_mb: total }: HostStatus["load"]): HostCheck {
  const summary = `${Math.min(free, total)} of ${total} MB available`;
  return free < (total * LOW_MEMORY_PERCENT) / 100
    ? warned("memory", summary, "orchctl top --all --sort memory shows who uses it; orchctl drain takes no new engines")
    : passed("memory", summary);
}

/** The daemon's own limits. Limits that cannot be read pass the check. */
async function checkLimits(): Promise<HostCheck> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const hard = /^Max open files +\S+ +(\d+)/m.exec(text)?.[1];
  if (hard === undefined) return passed("limits", "open files are not limited");
  return Number(hard) < FEW_OPEN_FILES
    ? warned("limits", `${hard} open files`, "set LimitNOFILE=524288 in the unit, or ulimit -n 524288 before the start")
    : passed("limits", `${hard} open files`);
}
