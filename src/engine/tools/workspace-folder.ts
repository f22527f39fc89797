import type { Dirent } from "node:fs";
import { type FileHandle, constants, mkdir, open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { hasCode } from "../../shared/error-code.ts";

/** Refuses symbolic links. */
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * An open folder of the workspace. It is opened level by level without following symbolic links, and used through its
 * descriptor, so that a path swapped between check and use cannot lead out of the workspace. The opener closes it.
 */
export class WorkspaceFolder {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** The folders that were made when it was opened, relative to the workspace. */
  readonly created: readonly string[];

  private constructor(handle: FileHandle, path: string, created: readonly string[] = []) {
    this.#handle = handle;
    this.#path = path;
    this.created = created;
  }

  /** `path`: a real path in the workspace. `create` makes missing folders. */
  static async open(workspaceDir: string, path: string, { create = false } = {}): Promise<WorkspaceFolder> {
    const root = await realpath(workspaceDir);
    const created: string[] = [];
    let folder = new WorkspaceFolder(await open(root, OPEN_FOLDER), root);
    let at = "";
    for (const name of relative(root, path).split(sep)) {
      if (name === "") continue;
      const parent = folder;
      at = join(at, name);
      try {
        if (create && (await isNew(mkdir(parent.at(name))))) created.push(at);
        folder = new WorkspaceFolder(await open(parent.at(name), OPEN_FOLDER), join(root, at), created);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /** The path of an entry of the folder. */
  at(name: string): string {
    return join(this.#self, name);
  }

  async folder(name: string): Promise<WorkspaceFolder> {
    return new WorkspaceFolder(await open(this.at(name), OPEN_FOLDER), join(this.#path, name));
  }

  /** Sorted by name. */
  async entries(): Promise<Dirent[]> {
    const found = await readdir(this.#self, { withFileTypes: true });
    return found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Only Linux has paths by descriptor. */
  get #self(): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }
}

async function isNew(made: Promise<unknown>): Promise<boolean> {
  try {
    await made;
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}
