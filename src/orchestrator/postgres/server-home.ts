import { createHash } from "node:crypto";
import { chown, lstat, mkdir, readFile, readdir, rename, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { createTraversableFolder, type ServerUser, mayUse } from "./server-user.ts";

/** `sockaddr_un` holds 108 bytes, one of them the end. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME = ".s.PGSQL.5432";

export interface HomePlaces {
  readonly dataDir: string;
  /** For a data folder that the server's user cannot enter. */
  readonly systemDir: string;
}

/**
 * The server's folder: under the data folder, or where its user can reach it; the data folder then says where. Once
 * there is a database it is used where it is, or refused: never removed, and never left for a new, empty one.
 */
export async function serverHome({ dataDir, systemDir }: HomePlaces, user: ServerUser): Promise<string> {
  const pointer = join(dataDir, "postgres-is-in");
  const elsewhere = await pointedTo(pointer);
  if (elsewhere !== null) {
    if (isAbsolute(elsewhere) && (await mayUse(user, elsewhere, "write"))) return elsewhere;
    throw new BundledPostgresError(
      `${pointer} says that the database is in "${elsewhere}", but the server's user cannot use that folder; ` +
        "put it back or let that user in, remove the file to begin with an empty database, or set DATABASE_URL",
    );
  }
  const usual = join(dataDir, "postgres");
  const wasEmpty = await isEmpty(usual);
  const made = wasEmpty && (await ownFolder(usual, user));
  if (await mayUse(user, usual, "write")) return usual;
  if (!wasEmpty) {
    throw new BundledPostgresError(
      `${usual} holds a database that the server's user (uid ${user.uid ?? process.getuid?.() ?? "unknown"}) cannot use; ` +
        "let that user pass through the folders above it and own it, or set DATABASE_URL",
    );
  }
  if (made) await rmdir(usual);
  const home = join(systemDir, shortHash(dataDir));
  await createTraversableFolder(systemDir);
  if (await isEmpty(home)) await ownFolder(home, user);
  if (!(await mayUse(user, home, "write"))) {
    throw new BundledPostgresError(
      `the server's user can use neither ${usual} nor ${home}; set ORCH_DATA_DIR to a folder it can reach, or set DATABASE_URL`,
    );
  }
  // Whole or not there: half a path would send the next start astray.
  await writeFile(`${pointer}.new`, `${home}\n`);
  await rename(`${pointer}.new`, pointer);
  return home;
}

/** A folder for the server's socket: its home, or a short one when the path would not fit. */
export async function socketFolder(home: string, user: ServerUser): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET_NAME)) <= MAX_SOCKET_PATH) return home;
  const folder = join(tmpdir(), `orchd-pg-${shortHash(home)}`);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined && user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const { uid } = await lstat(folder);
  if (uid !== (user.uid ?? process.getuid?.())) {
    throw new BundledPostgresError(`${folder} belongs to another user; remove it, or set a shorter ORCH_DATA_DIR`);
  }
  return folder;
}

export const socketPath = (folder: string): string => join(folder, SOCKET_NAME);

async function pointedTo(pointer: string): Promise<string | null> {
  try {
    return (await readFile(pointer, "utf8")).trim();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Nothing is in it, or it is not there. What may not be looked into is somebody's, and so not empty. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if (isMissing(error)) return true;
    if (error instanceof Error && "code" in error && error.code === "EACCES") return false;
    throw error;
  }
}

/** Makes an empty folder the user's, one that a start cut short has left included; whether it had to be made. */
async function ownFolder(folder: string, user: ServerUser): Promise<boolean> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  return made !== undefined;
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
