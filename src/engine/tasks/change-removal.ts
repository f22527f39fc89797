import type { ArtifactTable } from "../store/artifact-table.ts";
import type { StoredContent } from "../store/checkpoint-contents.ts";
import type { FileChangeTable } from "../store/file-changes.ts";
import type { RemovalStep } from "../store/task-removal.ts";

/** What calls changed in the workspace, and the contents of files that are kept for rewinds and artifacts. */
export interface KeptChanges {
  readonly changes: Pick<FileChangeTable, "removeSome" | "refersTo">;
  readonly recorder: {
    readonly contents: {
      forget(digests: readonly string[]): readonly StoredContent[];
      removeFiles(contents: readonly StoredContent[]): void;
    };
  };
  readonly artifacts: Pick<ArtifactTable, "refersTo">;
}

/** Rows of one step: a millisecond. */
const ROWS = 50;

/**
 * Removes what a deleted task changed, but for the messages that a fork shares. To come before the task's branches are
 * gone. Contents that nothing refers to any more are added to `unused`: the caller removes their files after the
 * transaction of the step.
 */
export function* changeRemoval(
  parts: KeptChanges,
  taskId: string,
  unused: StoredContent[],
): Generator<RemovalStep, void> {
  let isOver = false;
  const step = () => {
    const digests = parts.changes.removeSome(taskId, ROWS);
    if (digests === null) isOver = true;
    else unused.push(...forgetUnused(parts, digests));
  };
  for (;;) {
    yield step;
    if (isOver) return;
  }
}

/** Removes those contents that nothing refers to. Runs in a transaction of the caller, who removes their files after it. */
export function forgetUnused(
  { changes, recorder, artifacts }: KeptChanges,
  digests: readonly string[],
): readonly StoredContent[] {
  const isUsed = (digest: string) => changes.refersTo(digest) || artifacts.refersTo(digest);
  return recorder.contents.forget([...new Set(digests)].filter((digest) => !isUsed(digest)));
}
