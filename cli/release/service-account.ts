import { chown, mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere, unlessMissing } from "../../src/shared/files.ts";
import { type Layout, readEnvironment } from "./release-layout.ts";

/** The user and settings with which the daemon's program runs outside of its service. */
interface ServiceAccount {
  readonly uid: number;
  readonly gid: number;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * For root with the installed release: the service's user and settings, and the data folder, which is created where it
 * is missing. Null for anybody else, and for a checkout.
 */
export async function serviceAccount(layout: Layout, installDir: string): Promise<ServiceAccount | null> {
  const current = await unlessMissing(realpath(layout.current));
  if (process.getuid?.() !== 0 || current === null || current !== (await realpath(installDir))) return null;
  const settings = await readEnvironment(layout);
  const dataDir = settings["ORCH_DATA_DIR"] || layout.dataDir;
  const { uid, gid } = (await unlessMissing(stat(dataDir))) ?? (await createFolder(layout, dataDir));
  return { uid, gid, env: { ...settings, ORCH_DATA_DIR: dataDir } };
}

/** As systemd/orchd.tmpfiles has it. */
async function createFolder(
  { root }: Layout,
  dataDir: string,
): Promise<{ readonly uid: number; readonly gid: number }> {
  const passwd = (await readIfThere(join(root, "etc/passwd"))) ?? "";
  const [, uid, gid] = /^orchd:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
  const owner = { uid: Number(uid ?? 0), gid: Number(gid ?? 0) };
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await chown(dataDir, owner.uid, owner.gid);
  return owner;
}
