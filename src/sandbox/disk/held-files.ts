import { readFileSync, readdirSync, statSync } from "node:fs";
import { descriptorTarget, processFolder, unlessGone } from "../processes/process-table.ts";

const STAT_BLOCK_BYTES = 512;
const REMOVED = " (deleted)";
const MEMFD = "/memfd:";
const SOCKET = "socket:";

/** Files without a name that processes hold open. */
export interface HeldFiles {
  /** Bytes of those on the device. */
  readonly diskBytes: number;
  /** Bytes of each memfd, by its inode. */
  readonly memfds: ReadonlyMap<number, number>;
  /** Descriptors that wait in the queues of sockets. Nobody can tell what they are. */
  readonly inTransit: number;
  /** The inodes of removed files on the device. */
  readonly removed: ReadonlySet<number>;
}

export function heldFiles(pids: readonly number[], device: number): HeldFiles {
  const onDisk = new Map<number, number>();
  const memfds = new Map<number, number>();
  let inTransit = 0;
  for (const pid of pids) {
    const folder = processFolder(pid);
    for (const name of unlessGone(() => readdirSync(`${folder}/fd`)) ?? []) {
      const path = `${folder}/fd/${name}`;
      const target = descriptorTarget(path, REMOVED);
      if (target.startsWith(SOCKET)) inTransit += waitingIn(folder, name);
      if (!target.endsWith(REMOVED)) continue;
      const stats = unlessGone(() => statSync(path));
      if (stats?.nlink !== 0) continue;
      const bytes = stats.blocks * STAT_BLOCK_BYTES;
      if (target.startsWith(MEMFD)) memfds.set(stats.ino, bytes);
      else if (stats.dev === device) onDisk.set(stats.ino, bytes);
    }
  }
  const diskBytes = [...onDisk.values()].reduce((sum, bytes) => sum + bytes, 0);
  return { diskBytes, memfds, inTransit, removed: new Set(onDisk.keys()) };
}

/** A file that is mapped and has no name. */
export interface RemovedMapping {
  readonly inode: number;
  readonly path: string;
  /** Of the mapping, not of the file. */
  readonly bytes: number;
  readonly isShared: boolean;
}

const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) ...(.) \S+ \S+ (\d+) +(\/.*) \(deleted\)$/gm;

/** Empty for a process whose mappings are not readable. */
export function removedMappings(pid: number): readonly RemovedMapping[] {
  const text = unlessGone(() => readFileSync(`${processFolder(pid)}/maps`, "latin1")) ?? "";
  return [...text.matchAll(MAPPING)].map(([, from = "", to = "", sharing, inode, path = ""]) => ({
    inode: Number(inode),
    path,
    bytes: Number.parseInt(to, 16) - Number.parseInt(from, 16),
    isShared: sharing === "s",
  }));
}

/** Linux 5.6 or newer tells. */
function waitingIn(folder: string, descriptor: string): number {
  const text = unlessGone(() => readFileSync(`${folder}/fdinfo/${descriptor}`, "utf8")) ?? "";
  return Number(/^scm_fds:\s*(\d+)/m.exec(text)?.[1] ?? 0);
}
