import { readFile, statfs } from "node:fs/promises";

const MIB = 1_048_576;

interface HostResources {
  readonly memoryAvailableMb: number;
  /** Free space of the data folder's file system. */
  readonly diskFreeMb: number;
}

/** Free disk and available memory of this machine, in MiB. */
export async function hostResources(dataDir: string): Promise<HostResources> {
  const [disk, memory] = await Promise.all([statfs(dataDir), readFile("/proc/meminfo", "utf8").catch(() => "")]);
  const availableKb = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  return {
    diskFreeMb: Math.floor((disk.bavail * disk.bsize) / MIB),
    // If the kernel does not report it, memory does not limit admission.
    memoryAvailableMb: availableKb === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(Number(availableKb) / 1024),
  };
}
