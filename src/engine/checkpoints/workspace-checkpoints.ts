import type { Stats } from "node:fs";
import { CheckpointContentTable } from "../store/checkpoint-contents.ts";
import {
  type ChangeOrigin,
  type FileChange,
  FileChangeTable,
  type IncompleteComparison,
  type MessageRange,
} from "../store/file-changes.ts";
import type { Store } from "../store/open-store.ts";
import type { CallCheckpoint, ChangedPath, Checkpoints, Replacement } from "../tools/call-checkpoint.ts";
import { CallComparisons } from "./call-comparisons.ts";
import { ChangeRecorder } from "./change-recorder.ts";
import { ContentStore, digestOf } from "./content-store.ts";
import { FOLDER, NO_FILE, stampOf, stateOf } from "./file-stamp.ts";
import { type FailedStep, restoreFiles } from "./restore-files.ts";
import { type RestorePlan, type RestoreStep, planRestore } from "./restore-plan.ts";
import { currentDigest, currentState } from "./workspace-files-now.ts";
import type { ListingBounds } from "./workspace-listing.ts";

const MAX_ROWS = 100_000;

type Call = Omit<ChangeOrigin, "messageId">;

/** What the tools of an engine change in its workspace. */
export class WorkspaceCheckpoints implements Checkpoints {
  readonly changes: FileChangeTable;
  readonly recorder: ChangeRecorder;
  readonly workspaceDir: string;
  readonly #comparisons: CallComparisons;

  constructor({
    store,
    workspaceDir,
    maxBytes,
    admit,
    bounds,
  }: {
    readonly store: Store;
    readonly workspaceDir: string;
    /** Of all contents that are kept. */
    readonly maxBytes: number;
    /** Whether so many bytes may be written. Counts them as written. */
    readonly admit: (bytes: number) => Promise<boolean>;
    readonly bounds?: ListingBounds;
  }) {
    const table = new CheckpointContentTable(store);
    const contents = new ContentStore({ dataDir: store.dataDir, table, maxBytes, admit });
    const changes = new FileChangeTable(store);
    this.changes = changes;
    this.workspaceDir = workspaceDir;
    this.recorder = new ChangeRecorder({ store, changes, contents });
    const { recorder } = this;
    this.#comparisons = new CallComparisons({ store, changes, recorder, workspaceDir, ...(bounds && { bounds }) });
  }

  ofCall(call: Call): CallCheckpoint {
    const origin = () => ({ ...call, messageId: this.changes.lastMessage() });
    const changed: ChangedPath[] = [];
    return {
      changed,
      replacing: async (file) => {
        const written = await this.#replacing(origin(), file);
        return (now) => {
          written(now);
          changed.push({ path: file.path, change: file.old === null ? "created" : "changed" });
        };
      },
      comparing: (run) =>
        this.#comparisons.compare(origin(), run, (changes) =>
          changed.push(...changes.flatMap(pathOf).toSorted(byPath)),
        ),
    };
  }

  /** A caller of the files interface changes something: no comparison ends before that is known. */
  duringChange<T>(change: Promise<T>): Promise<T> {
    return this.#comparisons.awaiting(change);
  }

  /** A caller of the files interface changed a path, or with null many: no call that runs has done so. */
  changedByCaller(change: { readonly path: string; readonly now: Stats | null } | null): void {
    if (change === null) return this.#comparisons.overlap();
    const state = change.now === null ? NO_FILE : stateOf(change.now);
    this.recorder.changed(undefined, { taskId: "", path: change.path, state });
  }

  makeRoom(bytes: number): boolean {
    return this.recorder.contents.makeRoom(bytes);
  }

  /** Waits until what calls have changed is stored. */
  settled(): Promise<void> {
    return this.#comparisons.settled();
  }

  /** What it takes to undo what calls changed after these messages. */
  async plan(
    ranges: readonly MessageRange[],
  ): Promise<RestorePlan & { readonly notCompared: readonly IncompleteComparison[] }> {
    await this.settled();
    const { workspaceDir } = this;
    const plan = await planRestore(this.changes.ofRanges(ranges), {
      current: (path) => currentState(workspaceDir, path),
      digestOf: (path) => currentDigest(workspaceDir, path),
      hasContent: (digest) => this.recorder.contents.has(digest),
    });
    return { ...plan, notCompared: this.changes.incomplete(ranges) };
  }

  /** Returns the steps that failed. */
  restore(taskId: string, steps: readonly RestoreStep[]): Promise<readonly FailedStep[]> {
    const origin = { taskId, turnId: "", toolCallId: "", messageId: this.changes.lastMessage() };
    return restoreFiles(steps, { recorder: this.recorder, workspaceDir: this.workspaceDir, origin });
  }

  /** Forgets the oldest changes, and removes files of contents that no row has. */
  async maintain(now: number): Promise<void> {
    this.changes.prune(MAX_ROWS);
    await this.recorder.contents.removeOrphans(now);
  }

  async #replacing(
    origin: ChangeOrigin,
    { folder, name, path, old, content, mode, newFolders }: Replacement,
  ): Promise<(now: Stats) => void> {
    const before = await this.recorder.capture(folder, name, old);
    const kept = await this.recorder.contents.captureBytes(content);
    const after = { kind: "file", stamp: null, mode, digest: digestOf(content) } as const;
    const made = newFolders.map((folder) => ({ path: folder, before: NO_FILE, after: FOLDER }));
    const changes = [...made, { path, before: before.state, after }];
    const ids = this.recorder.record(origin, changes, [before.content, kept.kind === "stored" ? kept : null]);
    return (now) =>
      this.recorder.changed(ids.at(-1), { taskId: origin.taskId, path, state: { ...after, stamp: stampOf(now) } });
  }
}

/** Folders and links are left out. */
function pathOf({ path, before, after }: FileChange): readonly ChangedPath[] {
  if (before.kind !== "file" && after.kind !== "file") return [];
  return [{ path, change: after.kind !== "file" ? "removed" : before.kind === "file" ? "changed" : "created" }];
}

const byPath = (one: ChangedPath, other: ChangedPath): number => (one.path < other.path ? -1 : 1);
