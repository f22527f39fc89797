import type { DiskQuota } from "../../sandbox/programs.ts";
import type { Checkpoints } from "./call-checkpoint.ts";

/**
 * Why so many bytes may not be written to the workspace, or null. Counts them as written. What is kept for a rewind makes room
 * for them.
 */
export const admitBytes =
  (disk: Pick<DiskQuota, "admit">, checkpoints?: Pick<Checkpoints, "makeRoom">) =>
  async (bytes: number): Promise<string | null> => {
    const refusal = await disk.admit(bytes);
    return refusal !== null && checkpoints?.makeRoom(bytes) === true ? disk.admit(bytes) : refusal;
  };
