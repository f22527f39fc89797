import { type Stats, constants } from "node:fs";
import { open } from "node:fs/promises";
import { hasCode } from "../../shared/error-code.ts";
import type { StoredContent } from "../store/checkpoint-contents.ts";
import type { ChangeOrigin, FileChange, FileChangeTable, FileState } from "../store/file-changes.ts";
import type { Store } from "../store/open-store.ts";
import type { WorkspaceFolder } from "../tools/workspace-folder.ts";
import type { Captured, ContentStore } from "./content-store.ts";
import { NO_FILE, stateOf } from "./file-stamp.ts";

/** O_NONBLOCK: opening a FIFO without a writer would block a thread for ever. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const UNREADABLE = ["EACCES", "EPERM", "ENOENT", "ELOOP", "ENXIO", "EIO"];

/** A state, and its content if that is stored. */
export interface CapturedState {
  readonly state: FileState;
  readonly content: StoredContent | null;
}

/** Told of each change by a file tool, with what it made of the path. */
type ChangeListener = (change: { readonly taskId: string; readonly path: string; readonly state: FileState }) => void;

/**
 * Stores what is changed in the workspace: the content is on the disk and the row committed before the file changes, so
 * that no kill of the engine loses what was there.
 */
export class ChangeRecorder {
  readonly contents: ContentStore;
  readonly #store: Store;
  readonly #changes: FileChangeTable;
  readonly #listeners = new Set<ChangeListener>();

  constructor({
    store,
    changes,
    contents,
  }: {
    readonly store: Store;
    readonly changes: FileChangeTable;
    readonly contents: ContentStore;
  }) {
    this.#store = store;
    this.#changes = changes;
    this.contents = contents;
  }

  /** The state of an entry of a folder. The content of a file is stored if it can be. */
  async capture(folder: WorkspaceFolder, name: string, stats: Stats | null): Promise<CapturedState> {
    if (stats === null) return { state: NO_FILE, content: null };
    const state = stateOf(stats);
    if (state.kind !== "file") return { state, content: null };
    const captured = await this.#captureFile(folder, name);
    const { kind, stamp, mode } = state;
    return captured.kind === "refused"
      ? { state: { kind, stamp, mode, digest: null, reason: captured.reason }, content: null }
      : { state: { kind, stamp, mode, digest: captured.digest }, content: captured };
  }

  /** Durable, because the next step changes the files. Returns the ids of the changes. */
  record(
    origin: ChangeOrigin,
    changes: readonly Omit<FileChange, "overlaps">[],
    contents: readonly (StoredContent | null)[],
  ): readonly number[] {
    const ids = this.#store.transaction(
      () => {
        const ids = changes.map((change) => this.#changes.add(origin, { ...change, overlaps: false }));
        for (const content of contents) if (content !== null) this.contents.use(content, ids.at(-1) ?? 0);
        return ids;
      },
      { durable: true },
    );
    this.contents.prune();
    return ids;
  }

  /** Completes a change that was made. After a crash the row has the content's digest, which is enough. */
  changed(id: number | undefined, change: Parameters<ChangeListener>[0]): void {
    if (id !== undefined) this.#store.transaction(() => this.#changes.setAfter(id, change.state));
    for (const listener of this.#listeners) listener(change);
  }

  /** Returns the function that ends it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #captureFile(folder: WorkspaceFolder, name: string): Promise<Captured> {
    try {
      await using file = await open(folder.at(name), READ);
      if (!(await file.stat()).isFile()) return { kind: "refused", reason: "unreadable" };
      return await this.contents.captureFile(file);
    } catch (error) {
      if (!hasCode(error, ...UNREADABLE)) throw error;
      return { kind: "refused", reason: "unreadable" };
    }
  }
}
