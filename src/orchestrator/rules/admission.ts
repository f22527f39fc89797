import type { Policy, PolicyAction } from "../../contract/orchestrator/requests.ts";

/** Why no engine of the product works now, or null. */
export const suspensionDenial = ({ suspended }: Policy): string | null =>
  suspended ? "the product is suspended" : null;

/** Why the product's policy denies this action, or null. The text is for the product's developers. */
export function denialReason(policy: Policy, action: PolicyAction): string | null {
  const suspended = suspensionDenial(policy);
  if (suspended !== null) return suspended;
  if (!policy.allowed_actions.includes(action)) return `the product's policy does not allow ${action}`;
  return null;
}

/** Why no run of a schedule or webhook starts now, or null. */
export const runDenial = (policy: Policy): string | null =>
  suspensionDenial(policy) ?? (policy.schedules_paused ? "the product's schedules are paused" : null);

/** Why no schedule of a restored host runs: the host that was backed up may run it. */
export const RESTORE_PAUSE = "the schedules of this host are paused since it was restored from a backup";

/** The reserve for running engines: they would fail without memory, as they would with a full disk. */
const MIN_MEMORY_MB = 256;
/** Spares leave more, so that one which was ended for an engine does not come back at once. */
const MIN_MEMORY_BESIDE_SPARES_MB = 512;

/** Why the host cannot take another engine or spare, or null. */
export function capacityProblem({
  diskFreeMb,
  diskReserveMb,
  memoryAvailableMb,
  forSpare = false,
}: {
  readonly diskFreeMb: number;
  readonly diskReserveMb: number;
  readonly memoryAvailableMb: number;
  readonly forSpare?: boolean;
}): string | null {
  const minMemoryMb = forSpare ? MIN_MEMORY_BESIDE_SPARES_MB : MIN_MEMORY_MB;
  if (diskFreeMb < diskReserveMb) return `the host has ${diskFreeMb} MiB of disk left and needs ${diskReserveMb}`;
  if (memoryAvailableMb < minMemoryMb)
    return `the host has ${memoryAvailableMb} MiB of memory left and needs ${minMemoryMb}`;
  return null;
}

/** Whether the quota allows another engine. `engines` counts all rows, engines being provisioned included. */
export function fitsQuota(policy: Policy, engines: number): boolean {
  return policy.max_engines === null || engines < policy.max_engines;
}
