import type { Policy, PolicyAction } from "../../contract/orchestrator-api.ts";

/** Why a product may not do this now, in words for its developers; `null` when it may. */
export function denial(policy: Policy, action: PolicyAction): string | null {
  if (policy.suspended) return "the product is suspended";
  if (!policy.allowed_actions.includes(action)) return `the product's policy does not allow ${action}`;
  return null;
}

/** Engines write their stores, and a full disk or memory takes those down that run already. */
const LEAST_DISK_MB = 512;
const LEAST_MEMORY_MB = 256;

/** Why the host cannot take one more engine; null when it can. */
export function capacityProblem({
  diskFreeMb,
  memoryAvailableMb,
}: {
  readonly diskFreeMb: number;
  readonly memoryAvailableMb: number;
}): string | null {
  if (diskFreeMb < LEAST_DISK_MB) return `the host has ${diskFreeMb} MiB of disk left, it needs ${LEAST_DISK_MB}`;
  if (memoryAvailableMb < LEAST_MEMORY_MB)
    return `the host has ${memoryAvailableMb} MiB of memory left, it needs ${LEAST_MEMORY_MB}`;
  return null;
}

/** Whether one more engine fits, given how many are not destroyed, those being provisioned included. */
export function fitsQuota(policy: Policy, engines: number): boolean {
  return policy.max_engines === null || engines < policy.max_engines;
}
