import type { Dirent } from "node:fs";
import { type FileHandle, constants, mkdir, open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Only onto a folder that is none by way of a symbolic link. */
const STEP = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A folder of the workspace, held open: what is done in it is done in this very folder, wherever its name leads by
 * then. It is reached step by step from the workspace, no step over a symbolic link, so that nothing exchanged between
 * the check of a path and its use leads out. Whoever opens one closes it.
 */
export class WorkspaceFolder {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** `path` is a real one, in the workspace; folders that are missing are made when `create` says so. */
  static async open(workspaceDir: string, path: string, { create = false } = {}): Promise<WorkspaceFolder> {
    const root = await realpath(workspaceDir);
    let folder = new WorkspaceFolder(await open(root, STEP), root);
    for (const name of relative(root, path).split(sep)) {
      if (name === "") continue;
      const parent = folder;
      try {
        if (create) await mkdir(parent.at(name)).catch(unlessThere);
        folder = await parent.folder(name);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /** A path to something in the folder, by its name there. */
  at(name: string): string {
    return join(this.#self, name);
  }

  async folder(name: string): Promise<WorkspaceFolder> {
    return new WorkspaceFolder(await open(this.at(name), STEP), join(this.#path, name));
  }

  /** In the order of their names. */
  async entries(): Promise<Dirent[]> {
    const found = await readdir(this.#self, { withFileTypes: true });
    return found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Elsewhere than on Linux there is no path by way of a descriptor. */
  get #self(): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
