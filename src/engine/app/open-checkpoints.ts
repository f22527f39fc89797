import { DEFAULT_CHECKPOINT_MB } from "../../contract/engine/checkpoint-limits.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";
import type { Workspace } from "../isolation/open-workspace.ts";
import type { Store } from "../store/open-store.ts";

const MIB = 1_048_576;
/** Of the disk quota: the workspace has the rest. */
const MAX_SHARE = 1 / 4;

/** What the tools change in the workspace, within the limits of the policy. */
export function openCheckpoints({
  launch: { limits },
  store,
  workspace: { folders, disk },
}: {
  readonly launch: Pick<EngineLaunch, "limits">;
  readonly store: Store;
  readonly workspace: Pick<Workspace, "folders" | "disk">;
}): WorkspaceCheckpoints {
  const { checkpoint_mb: megabytes = DEFAULT_CHECKPOINT_MB, disk_mb: diskMegabytes } = limits;
  return new WorkspaceCheckpoints({
    store,
    workspaceDir: folders.workspace,
    maxBytes: Math.min(megabytes, diskMegabytes * MAX_SHARE) * MIB,
    admit: async (bytes) => (await disk.admit(bytes)) === null,
  });
}
