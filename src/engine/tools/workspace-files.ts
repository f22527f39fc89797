import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, constants, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { CallCheckpoint } from "./call-checkpoint.ts";
import { ToolFailed } from "./tool.ts";
import { WorkspaceFolder } from "./workspace-folder.ts";
import { type CallPath, targetOf, workspacePath } from "./workspace-path.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const PERMISSIONS = 0o777;
/** O_NONBLOCK: opening a FIFO without a writer would block a thread for ever. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface FileContent {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Reads a regular file of the workspace of at most 10 MiB; refuses folders, pipes and devices. */
export function readInWorkspace(where: CallPath, maxBytes = MAX_BYTES): Promise<FileContent> {
  return withParentFolder({ ...where, verb: "read" }, (folder, name) => readFrom(folder, name, where.path, maxBytes));
}

export async function readFrom(
  folder: WorkspaceFolder,
  name: string,
  path: string,
  maxBytes = MAX_BYTES,
): Promise<FileContent> {
  // Checked before opening, because opening a device may have side effects.
  if (!(await lstat(folder.at(name))).isFile()) throw new ToolFailed(`${path} is not a file`);
  const handle = await open(folder.at(name), READ);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ToolFailed(`${path} is not a file`);
    if (stats.size > maxBytes) throw new ToolFailed(`${path} is larger than ${maxBytes} bytes`);
    return { bytes: await readBytes(handle, stats.size), stats };
  } finally {
    await handle.close();
  }
}

/** At most `size`, which was checked: a command may make the file larger meanwhile, up to all memory. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * Writes a file atomically, creating its folders: a temporary file is renamed, so that a reader sees the old file or the
 * new one. With `replacing`, fails if the file has changed since it was read.
 */
export function writeInWorkspace(
  where: CallPath,
  content: string | Uint8Array,
  { replacing, checkpoint }: { readonly replacing?: Stats; readonly checkpoint?: CallCheckpoint | undefined } = {},
): Promise<void> {
  const { path } = where;
  return withParentFolder({ ...where, verb: "written", create: true }, async (folder, name, realPath) => {
    const old = await lstat(folder.at(name)).catch(nullIfMissing);
    if (old !== null && !old.isFile()) throw new ToolFailed(`${path} cannot be written: it is not a file`);
    const draft = folder.at(`.orch-draft-${randomBytes(6).toString("hex")}`);
    try {
      const handle = await open(draft, "wx", 0o666);
      await writeContent(handle, content, old);
      const now = await lstat(folder.at(name)).catch(nullIfMissing);
      if (replacing !== undefined && !isSame(replacing, now))
        throw new ToolFailed(`${path} has changed since it was read; read it again`);
      const written = await checkpoint?.replacing({
        folder,
        name,
        path: realPath,
        old: now,
        newFolders: folder.created,
        content: Buffer.from(content),
        mode: (await lstat(draft)).mode & PERMISSIONS,
      });
      await rename(draft, folder.at(name));
      written?.(await lstat(folder.at(name)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  });
}

async function writeContent(handle: FileHandle, content: string | Uint8Array, old: Stats | null): Promise<void> {
  try {
    await handle.writeFile(content);
    if (old !== null) await handle.chmod(old.mode & PERMISSIONS);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function withParentFolder<T>(
  { verb, create = false, ...where }: CallPath & { readonly verb: string; readonly create?: boolean },
  use: (folder: WorkspaceFolder, name: string, realPath: string) => Promise<T>,
): Promise<T> {
  const { workspaceDir, path } = where;
  const target = await targetOf(where);
  const root = await workspacePath(workspaceDir, ".");
  if (target === root) throw new ToolFailed(`${path} is not a file`);
  try {
    const folder = await WorkspaceFolder.open(workspaceDir, dirname(target), { create });
    try {
      return await use(folder, basename(target), relative(root, target));
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (error instanceof ToolFailed) throw error;
    if (error instanceof Error && "code" in error && "syscall" in error)
      throw new ToolFailed(`${path} cannot be ${verb} (${String(error.code)})`);
    throw error;
  }
}

const isSame = (read: Stats, now: Stats | null): boolean =>
  now !== null && now.ino === read.ino && now.size === read.size && now.mtimeMs === read.mtimeMs;

function nullIfMissing(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw error;
}
