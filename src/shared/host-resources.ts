import { readFileSync } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { lazily } from "./lazily.ts";
import { limitOfCgroups, memoryCgroups } from "../sandbox/cgroups.ts";

const MIB = 1_048_576;

interface HostResources {
  readonly memoryAvailableMb: number;
  /** Free space of the data folder's file system. */
  readonly diskFreeMb: number;
}

/** A process stays in its memory cgroup. */
const ownCgroups = lazily(() => {
  const read = (name: string): string => readFileSync(`/proc/self/${name}`, "utf8");
  return memoryCgroups(read("cgroup"), read("mountinfo"));
});

/** Free disk and available memory of this machine, or of its container if that has less, in MiB. */
export async function hostResources(dataDir: string): Promise<HostResources> {
  const [disk, memory] = await Promise.all([statfs(dataDir), readFile("/proc/meminfo", "utf8").catch(() => "")]);
  const availableKb = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  // If the kernel does not report it, memory does not limit admission.
  const available = availableKb === undefined ? Number.MAX_SAFE_INTEGER : Number(availableKb) * 1024;
  const limited = limitOfCgroups(ownCgroups())?.available ?? Number.MAX_SAFE_INTEGER;
  return {
    diskFreeMb: Math.floor((disk.bavail * disk.bsize) / MIB),
    memoryAvailableMb: Math.floor(Math.min(available, limited) / MIB),
  };
}

/** The memory of this machine, or of its container if that is less, in MiB. */
export const memoryTotalMb = (): number =>
  Math.floor(Math.min(totalmem(), limitOfCgroups(ownCgroups())?.limit ?? Infinity) / MIB);
