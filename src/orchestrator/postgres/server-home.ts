import { createHash } from "node:crypto";
import { chown, lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BundledPostgresFailed } from "./bundled-postgres-failed.ts";
import { type ServerUser, mayUse } from "./server-user.ts";

/** For a data folder that the server's user cannot enter. */
const ELSEWHERE = "/var/lib/orchd-postgres";
/** `sockaddr_un` holds 108 bytes, one of them the end. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME = ".s.PGSQL.5432";

/** The server's folder: under the data folder, or where its user can reach it; the data folder then says where. */
export async function serverHome(dataDir: string, user: ServerUser): Promise<string> {
  const usual = join(dataDir, "postgres");
  await ownFolder(usual, user);
  if (await mayUse(user, usual, "write")) return usual;
  await rm(usual, { recursive: true });
  await mkdir(ELSEWHERE, { recursive: true, mode: 0o711 });
  const home = join(ELSEWHERE, shortHash(dataDir));
  await ownFolder(home, user);
  if (!(await mayUse(user, home, "write"))) {
    throw new BundledPostgresFailed(
      `the server's user can use neither ${usual} nor ${home}; set ORCH_DATA_DIR to a folder it can reach, or set DATABASE_URL`,
    );
  }
  await writeFile(join(dataDir, "postgres-is-in"), `${home}\n`);
  return home;
}

/** A folder for the server's socket: its home, or a short one when the path would not fit. */
export async function socketFolder(home: string, user: ServerUser): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET_NAME)) <= MAX_SOCKET_PATH) return home;
  const folder = join(tmpdir(), `orchd-pg-${shortHash(home)}`);
  await ownFolder(folder, user);
  const { uid } = await lstat(folder);
  if (uid !== (user.uid ?? process.getuid?.())) {
    throw new BundledPostgresFailed(`${folder} belongs to another user; remove it, or set a shorter ORCH_DATA_DIR`);
  }
  return folder;
}

export const socketPath = (folder: string): string => join(folder, SOCKET_NAME);

async function ownFolder(folder: string, user: ServerUser): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined && user.uid !== undefined) await chown(folder, user.uid, user.gid);
}

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
