import type { Policy, PolicyAction } from "../../contract/orchestrator-api.ts";

/** Why the product's policy denies this action, or null. The text is for the product's developers. */
export function denialReason(policy: Policy, action: PolicyAction): string | null {
  if (policy.suspended) return "the product is suspended";
  if (!policy.allowed_actions.includes(action)) return `the product's policy does not allow ${action}`;
  return null;
}

/** Why no run of a schedule or webhook starts now, or null. */
export function runDenial({ suspended, schedules_paused: paused }: Policy): string | null {
  if (suspended) return "the product is suspended";
  return paused ? "the product's schedules are paused" : null;
}

/** The reserve for running engines: they would fail with a full disk or memory. */
const MIN_DISK_MB = 512;
const MIN_MEMORY_MB = 256;

/** Why the host cannot take another engine, or null. */
export function capacityProblem({
  diskFreeMb,
  memoryAvailableMb,
}: {
  readonly diskFreeMb: number;
  readonly memoryAvailableMb: number;
}): string | null {
  if (diskFreeMb < MIN_DISK_MB) return `the host has ${diskFreeMb} MiB of disk left and needs ${MIN_DISK_MB}`;
  if (memoryAvailableMb < MIN_MEMORY_MB)
    return `the host has ${memoryAvailableMb} MiB of memory left and needs ${MIN_MEMORY_MB}`;
  return null;
}

/** Whether the quota allows another engine. `engines` counts all rows, engines being provisioned included. */
export function fitsQuota(policy: Policy, engines: number): boolean {
  return policy.max_engines === null || engines < policy.max_engines;
}
