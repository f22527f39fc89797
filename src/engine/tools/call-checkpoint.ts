import type { Stats } from "node:fs";
import type { WorkspaceFolder } from "./workspace-folder.ts";

/** A file that is to be replaced. */
export interface Replacement {
  readonly folder: WorkspaceFolder;
  readonly name: string;
  /** The real path, relative to the workspace. */
  readonly path: string;
  /** Null for a new file. */
  readonly old: Stats | null;
  readonly content: Uint8Array;
  readonly mode: number;
  /** Folders that were made for it, relative to the workspace. */
  readonly newFolders: readonly string[];
}

export interface ChangedPath {
  readonly path: string;
  readonly change: "created" | "changed" | "removed";
}

/** Stores what a call changes in the workspace, for a rewind of its task. */
export interface CallCheckpoint {
  /**
   * Keeps the old content and stores the change, before the file is replaced. Call the returned function with the file
   * when it is there.
   */
  replacing(file: Replacement): Promise<(now: Stats) => void>;
  /** What the call has changed so far, as far as it is known. */
  readonly changed: readonly ChangedPath[];
  /** Runs a call that may change any file, and stores what it changed. */
  comparing<T>(run: () => Promise<T>): Promise<T>;
}

/** What the executor needs of the checkpoints. */
export interface Checkpoints {
  ofCall(call: { readonly taskId: string; readonly turnId: string; readonly toolCallId: string }): CallCheckpoint;
  /** Removes contents of so many bytes. Returns whether any was removed. */
  makeRoom(bytes: number): boolean;
}
