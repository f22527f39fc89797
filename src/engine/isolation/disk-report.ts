import { inBackground } from "../../shared/background.ts";
import type { DiskQuota } from "../../sandbox/programs.ts";

/**
 * The disk usage of the engine's folder in bytes, as last measured; null before that. Asking measures it again after
 * activity. The folder of an idle engine does not change.
 */
export function createDiskReport(
  disk: Pick<DiskQuota, "isMeasured" | "usedBytes" | "refresh">,
  lastActiveAt: () => string | null,
): () => number | null {
  let measuredFor: string | null | undefined;
  return () => {
    const active = lastActiveAt();
    if (measuredFor !== active) inBackground("measurement of the disk", disk.refresh());
    measuredFor = active;
    return disk.isMeasured ? disk.usedBytes : null;
  };
}
