import { createHash } from "node:crypto";
import { chown, lstat, mkdir, readdir, rename, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import { readIfThere, unlessMissing } from "../../shared/files.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { createTraversableFolder, type ServerUser, mayUse } from "./server-user.ts";

/** `sun_path` has 108 bytes, including the terminating null byte. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME = ".s.PGSQL.5432";

interface HomeFolders {
  readonly dataDir: string;
  /** For a data folder that the server's user cannot enter. */
  readonly systemDir: string;
}

/**
 * The server's folder: below the data folder, or below `systemDir` when the server's user cannot reach that. A pointer
 * file in the data folder then names it. An existing database is used or refused, never removed or replaced.
 */
export async function serverHome({ dataDir, systemDir }: HomeFolders, user: ServerUser): Promise<string> {
  const pointer = join(dataDir, "postgres-is-in");
  const elsewhere = (await readIfThere(pointer))?.trim() ?? null;
  if (elsewhere !== null) {
    if (isAbsolute(elsewhere) && (await mayUse(user, elsewhere, "write"))) return elsewhere;
    throw new BundledPostgresError(
      `${pointer} names the database folder "${elsewhere}", but the server's user cannot use it; ` +
        "restore it or give that user access, remove the file to start with an empty database, or set DATABASE_URL",
    );
  }
  const usual = join(dataDir, "postgres");
  const wasEmpty = await isEmpty(usual);
  const created = wasEmpty && (await ownFolder(usual, user));
  if (await mayUse(user, usual, "write")) return usual;
  if (!wasEmpty) {
    throw new BundledPostgresError(
      `${usual} holds a database that the server's user (uid ${user.uid ?? process.getuid?.() ?? "unknown"}) cannot use; ` +
        "make that user its owner with access to the folders above it, or set DATABASE_URL",
    );
  }
  if (created) await rmdir(usual);
  const home = join(systemDir, shortHash(dataDir));
  await createTraversableFolder(systemDir);
  if (await isEmpty(home)) await ownFolder(home, user);
  if (!(await mayUse(user, home, "write"))) {
    throw new BundledPostgresError(
      `the server's user can use neither ${usual} nor ${home}; set ORCH_DATA_DIR to a folder it can reach, or set DATABASE_URL`,
    );
  }
  // Renamed, so that the next start never reads an incomplete path.
  await writeFile(`${pointer}.new`, `${home}\n`);
  await rename(`${pointer}.new`, pointer);
  return home;
}

/** The folder of the server's socket: its home, or a shorter path when the socket's path would not fit. */
export async function socketFolder(home: string, user: ServerUser): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET_NAME)) <= MAX_SOCKET_PATH) return home;
  const folder = join(tmpdir(), `orchd-pg-${shortHash(home)}`);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined && user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const { uid } = await lstat(folder);
  if (uid !== (user.uid ?? process.getuid?.())) {
    throw new BundledPostgresError(`${folder} belongs to another user; remove it, or set a shorter ORCH_DATA_DIR`);
  }
  return folder;
}

export const socketPath = (folder: string): string => join(folder, SOCKET_NAME);

/** Whether the folder is empty or missing. One that may not be read counts as not empty. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    return ((await unlessMissing(readdir(folder))) ?? []).length === 0;
  } catch (error) {
    if (hasCode(error, "EACCES")) return false;
    throw error;
  }
}

/** Creates a folder if it is missing and makes the user its owner. Returns whether it was created. */
async function ownFolder(folder: string, user: ServerUser): Promise<boolean> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  return created !== undefined;
}

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
