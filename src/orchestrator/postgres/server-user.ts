import { execa } from "execa";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { chmod, mkdir } from "node:fs/promises";

const NAME = "postgres";
const DEADLINE_MS = 10_000;

/** Whom the server runs as: the daemon's own user (empty), or as root, which PostgreSQL refuses, another one. */
export type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** As root the system user `postgres`, made when there is none; otherwise the user we are. */
export async function serverUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const found = await lookUp();
  if (found !== null) return found;
  const made = await execa(
    "useradd",
    [
      "--system",
      "--user-group",
      "--no-create-home",
      "--home-dir",
      "/nonexistent",
      "--shell",
      "/usr/sbin/nologin",
      NAME,
    ],
    { reject: false, timeout: DEADLINE_MS },
  );
  const after = await lookUp();
  if (after !== null) return after;
  throw new BundledPostgresError(
    `PostgreSQL does not run as root, and the user "${NAME}" cannot be made (${made.shortMessage ?? "useradd did nothing"}); ` +
      "make it, start orchd as another user, or set DATABASE_URL",
  );
}

async function lookUp(): Promise<ServerUser | null> {
  const [uid, gid] = await Promise.all([idOf("-u"), idOf("-g")]);
  return uid === null || gid === null ? null : { uid, gid };
}

async function idOf(which: "-u" | "-g"): Promise<number | null> {
  const { stdout, failed } = await execa("id", [which, NAME], { reject: false, timeout: DEADLINE_MS });
  return failed ? null : Number(stdout);
}

/** Whether the user may enter a folder, and read or write there: asked as that user, not read off the modes. */
export async function mayUse(user: ServerUser, folder: string, need: "read" | "write"): Promise<boolean> {
  const { failed } = await execa(
    "test",
    ["-d", folder, "-a", "-x", folder, "-a", need === "read" ? "-r" : "-w", folder],
    { ...user, cwd: "/", reject: false, timeout: DEADLINE_MS },
  );
  return !failed;
}

/** A folder that others may pass through, whatever our umask is. */
export async function createTraversableFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) await chmod(folder, 0o711);
}
