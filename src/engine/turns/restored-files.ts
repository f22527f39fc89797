import { RESTORE_LISTED } from "../../contract/engine/restore-outcomes.ts";
import type { RestoredFiles } from "../../contract/engine/branch.ts";
import type { FailedStep } from "../checkpoints/restore-files.ts";
import type { RestoreStep } from "../checkpoints/restore-plan.ts";
import type { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";

type Plan = Awaited<ReturnType<WorkspaceCheckpoints["plan"]>>;

/** A restore as the answer to a rewind tells it. */
export function restoredFiles(
  { restorable, notCaptured, changedByOthers, notCompared }: Plan,
  failed: readonly FailedStep[],
): RestoredFiles {
  const all = {
    restorable: restorable.map(shownStep),
    not_captured: notCaptured,
    changed_by_others: changedByOthers.map(shownStep),
    not_compared: notCompared.map(({ turnId, toolCallId, reason }) => ({
      turn_id: turnId || null,
      tool_call_id: toolCallId || null,
      reason,
    })),
    failed,
  };
  const counted = Object.entries(all) as [keyof typeof all, readonly unknown[]][];
  return {
    restorable: all.restorable.slice(0, RESTORE_LISTED),
    not_captured: all.not_captured.slice(0, RESTORE_LISTED),
    changed_by_others: all.changed_by_others.slice(0, RESTORE_LISTED),
    not_compared: all.not_compared.slice(0, RESTORE_LISTED),
    failed: all.failed.slice(0, RESTORE_LISTED),
    counts: Object.fromEntries(counted.map(([name, list]) => [name, list.length])) as RestoredFiles["counts"],
  };
}

const shownStep = ({ path, action }: RestoreStep) => ({ path, action });
