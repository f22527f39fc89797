import { execa } from "execa";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { chmod, mkdir } from "node:fs/promises";

const NAME = "postgres";
const DEADLINE_MS = 10_000;

/** The user of the server: the daemon's own (empty), or another one for root, which PostgreSQL refuses. */
export type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** As root the system user `postgres`, created if missing. Otherwise the current user. */
export async function serverUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const found = await lookUp();
  if (found !== null) return found;
  const created = await execa(
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
    `PostgreSQL does not run as root, and useradd failed to create the user "${NAME}" (${created.shortMessage ?? "useradd did nothing"}); ` +
      "create it, start orchd as another user, or set DATABASE_URL",
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

/** Whether the user may enter a folder and read or write there. Tested as that user, not derived from file modes. */
export async function mayUse(user: ServerUser, folder: string, need: "read" | "write"): Promise<boolean> {
  const { failed } = await execa(
    "test",
    ["-d", folder, "-a", "-x", folder, "-a", need === "read" ? "-r" : "-w", folder],
    { ...user, cwd: "/", reject: false, timeout: DEADLINE_MS },
  );
  return !failed;
}

/** Creates a folder that other users may traverse, whatever the umask is. */
export async function createTraversableFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  if (created !== undefined) await chmod(folder, 0o711);
}
