import { MAX_ATTACHMENTS } from "../../../contract/engine/attachment-limits.ts";
import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import { type CheckedFile, digestOf } from "../../attachments/check-file.ts";
import { storedName } from "../../attachments/file-name.ts";
import type { DiskQuota } from "../../../sandbox/programs.ts";
import { ToolFailed } from "../tool.ts";
import { readInWorkspace, writeInWorkspace } from "../workspace-files.ts";
import { relativeRealPath } from "../workspace-path.ts";

/** Relative to the workspace. An erasure of the memory removes it. */
export const ATTACHMENTS_FOLDER = ".orch/attachments";
const MAX_BYTES = MAX_ATTACHMENTS.mb * 1024 * 1024;

/** The bytes of attachments, in files of the workspace. A file is named for its content, so that a retry adds none. */
export class AttachmentFiles {
  readonly #workspaceDir: string;
  readonly #disk: Pick<DiskQuota, "admit">;

  constructor({ workspaceDir, disk }: { readonly workspaceDir: string; readonly disk: Pick<DiskQuota, "admit"> }) {
    this.#workspaceDir = workspaceDir;
    this.#disk = disk;
  }

  /** Why files of so many bytes may not be written, or null. Counts them as written. */
  admit(bytes: number): Promise<string | null> {
    return this.#disk.admit(bytes);
  }

  /** Writes a file that was admitted, also one that is there: a file without a message is deleted a day later. */
  async write(file: CheckedFile, bytes: Buffer): Promise<AttachmentRecord> {
    const stored = { ...file, path: `${ATTACHMENTS_FOLDER}/${storedName(file.digest, file.name)}` };
    await writeInWorkspace({ workspaceDir: this.#workspaceDir, path: stored.path }, bytes);
    return stored;
  }

  /** A file of the workspace, and its real path in it. Throws `ToolFailed`. */
  async open(path: string): Promise<{ readonly bytes: Buffer; readonly path: string }> {
    const workspaceDir = this.#workspaceDir;
    const realPath = await relativeRealPath(workspaceDir, path);
    return { bytes: (await readInWorkspace({ workspaceDir, path, realPath }, MAX_BYTES)).bytes, path: realPath };
  }

  /** The bytes of a recorded file. Throws `ToolFailed` when it was removed or has changed. */
  async read({ path, digest, bytes: expected }: AttachmentRecord): Promise<Buffer> {
    const { bytes } = await this.open(path);
    if (bytes.length !== expected || digestOf(bytes) !== digest) throw new ToolFailed("the file has changed since");
    return bytes;
  }
}
