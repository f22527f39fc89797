import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../shared/files.ts";

/** A complete archive. */
export interface BackupFile {
  readonly name: string;
  readonly created_at: string;
  readonly bytes: number;
  readonly encrypted: boolean;
}

const NAME = /^orchd-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.tar\.gz(\.enc)?$/;
const PARTIAL = ".partial";

/** The part of a host's id that the names of its archives have. Several hosts can share a folder. */
const tagOf = (hostId: string): string => hostId.slice(-8);

export const backupName = (hostId: string, at: Date, { encrypted }: { readonly encrypted: boolean }): string =>
  `orchd-${tagOf(hostId)}-${at.toISOString().replaceAll(/[-:.]/g, "")}.tar.gz${encrypted ? ".enc" : ""}`;

/** The complete archives of a host, newest first. A missing folder has none. */
export async function listBackupFiles(folder: string, hostId: string): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const match = NAME.exec(name);
    if (match?.[1] !== tagOf(hostId)) continue;
    const found = await unlessMissing(stat(join(folder, name)));
    if (found === null || !found.isFile()) continue;
    const [, , year, month, day, hour, minute, second, ms, encrypted] = match;
    const createdAt = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
    files.push({ name, created_at: createdAt, bytes: found.size, encrypted: encrypted !== undefined });
  }
  return files.sort((left, right) => (left.name < right.name ? 1 : -1));
}

/** The file that becomes `name` when it is complete. Incomplete ones of killed daemons are removed. */
export async function openPartial(folder: string, hostId: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const old of await readdir(folder))
    if (old.startsWith(`orchd-${tagOf(hostId)}-`) && old.endsWith(PARTIAL)) await rm(join(folder, old));
  return join(folder, `${name}${PARTIAL}`);
}

/** Gives a complete archive its name, also after a power failure. */
export async function completePartial(folder: string, name: string): Promise<void> {
  await rename(join(folder, `${name}${PARTIAL}`), join(folder, name));
  await using handle = await open(folder);
  await handle.sync();
}

/** Removes all but the newest `keep` archives of a host. */
export async function pruneBackups(folder: string, hostId: string, keep: number): Promise<void> {
  for (const { name } of (await listBackupFiles(folder, hostId)).slice(keep)) await rm(join(folder, name));
}
