import { type Dirent, constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { errorCode, hasCode } from "../../shared/error-code.ts";
import { BadEntry } from "./catalog-entry.ts";

/**
 * Reads text files of one folder. Symbolic links may point within it, as in mounted Kubernetes volumes, but not out of
 * it. Throws {@link BadEntry} for invalid files.
 */
export class CatalogFolder {
  /** As it was opened. */
  readonly path: string;
  readonly #root: string;

  private constructor(path: string, root: string) {
    this.path = path;
    this.#root = root;
  }

  /** Null if the folder does not exist. */
  static async open(folder: string): Promise<CatalogFolder | null> {
    const root = await realOf(folder);
    return root === null ? null : new CatalogFolder(folder, root);
  }

  /** Sorted entries without hidden ones; empty if the folder does not exist. */
  async names(folder: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
    const real = await this.realPath(folder);
    if (real === null) return [];
    const found = await readdir(real, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      throw new BadEntry(`cannot be read (${error.code ?? error.message})`);
    });
    const shown = found
      .filter(({ name }) => !name.startsWith("."))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return Promise.all(shown.map(async (entry) => ({ name: entry.name, isFolder: await isFolder(real, entry) })));
  }

  /** Null if the file does not exist. */
  async text(path: string, maxBytes: number): Promise<string | null> {
    const real = await this.realPath(path);
    return real === null ? null : readText(real, maxBytes);
  }

  /** The real path; null if it does not exist. */
  async realPath(path: string): Promise<string | null> {
    const real = await realOf(join(this.#root, path));
    if (real === null || real === this.#root || real.startsWith(this.#root + sep)) return real;
    throw new BadEntry("expected a file inside the catalog folder, got a link that leads out of it");
  }
}

/** Follows a link; a broken one counts as a file. */
async function isFolder(real: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = await stat(join(real, entry.name)).catch(() => null);
  return target?.isDirectory() ?? false;
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw new BadEntry(`cannot be read (${errorCode(error)})`);
  }
}

async function readText(real: string, maxBytes: number): Promise<string> {
  // O_NONBLOCK: opening a FIFO without a writer would block a thread for ever.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new BadEntry(`cannot be read (${error.code ?? error.message})`);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new BadEntry("expected a file");
    if (stat.size > maxBytes) throw new BadEntry(`expected at most ${maxBytes} bytes, got ${stat.size}`);
    return textOf(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** Decodes strict UTF-8 without its byte order mark. */
function textOf(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new BadEntry("expected UTF-8 text");
}
