import { PAGE_BYTES, pagesOf } from "./memory-pages.ts";
import { processFolder, readProc } from "./process-table.ts";
import { heldFiles, removedMappings } from "../disk/held-files.ts";

const KIB = 1024;
/** The index of the number of threads in `/proc/<pid>/stat`, counted from the state. */
const THREADS = 17;
/** CPU time. A process may have 65,530 mappings, and then takes as long as a thousand others. */
const EXACT_WITHIN_US = 50_000;

export interface ProcessUsage {
  /** Processes and their threads. */
  readonly tasks: number;
  /** Resident memory. What processes share counts for each of them. */
  readonly bytes: number;
}

/** Tasks and an upper bound of the memory of processes together, but for files in memory that none has mapped. */
export function usageOf(pids: readonly number[]): ProcessUsage {
  let [tasks, bytes] = [0, 0];
  for (const pid of pids) {
    const stat = readProc(`/proc/${pid}/stat`);
    if (stat === null) continue;
    tasks += Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[THREADS]);
    bytes += residentBytes(pid);
  }
  return { tasks, bytes };
}

/**
 * The memory of processes together: their proportional share of private memory and of files, and each piece of shared
 * memory once. A memfd counts also where no process has mapped it. A mapping of one that nobody holds counts whole, for its
 * pages need no process, but all of these no more than `sharedGrowth`, that of the host. This costs fifty times as much as
 * {@link usageOf}, of which the processes that come too late get their value.
 */
export function exactMemoryOf(pids: readonly number[], sharedGrowth: number): number {
  const { memfds } = heldFiles(pids, NO_DEVICE);
  const unheld = new Map<number, number>();
  const end = cpuTimeUs() + EXACT_WITHIN_US;
  const resident = pids.map((pid) => ({ pid, bytes: residentBytes(pid) }));
  let [sum, residentShared] = [0, 0];
  for (const { pid, bytes } of resident.toSorted((left, right) => right.bytes - left.bytes)) {
    const own = cpuTimeUs() < end ? proportionalShare(pid) : null;
    sum += own?.privateBytes ?? bytes;
    residentShared += own?.sharedBytes ?? 0;
    if (own !== null) addUnheld(pid, memfds, unheld);
  }
  // The host's growth says nothing while another program gives shared memory back.
  const mapped = Math.max(Math.min(sumOf(unheld), sharedGrowth), residentShared - sumOf(memfds));
  return sum + sumOf(memfds) + mapped;
}

/** Of this thread. */
function cpuTimeUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

const sumOf = (sizes: ReadonlyMap<number, number>): number =>
  [...sizes.values()].reduce((total, bytes) => total + bytes, 0);

/** The memory of the whole machine that belongs to files in memory and to shared mappings. Null where `/proc` hides it. */
export function sharedMemoryOfHost(): number | null {
  const kib = /^Shmem:\s+(\d+) kB$/m.exec(readProc("/proc/meminfo") ?? "")?.[1];
  return kib === undefined ? null : Number(kib) * KIB;
}

const NO_DEVICE = -1;

/** Shared mappings, by their inode. */
function addUnheld(pid: number, memfds: ReadonlyMap<number, number>, unheld: Map<number, number>): void {
  const mapped = new Map<number, number>();
  for (const { inode, path, bytes, isShared } of removedMappings(pid)) {
    // `/dev/zero` is what the kernel calls shared memory without a file.
    if (!isShared || memfds.has(inode) || !/^\/(memfd:|dev\/zero$)/.test(path)) continue;
    mapped.set(inode, (mapped.get(inode) ?? 0) + bytes);
  }
  for (const [inode, bytes] of mapped) unheld.set(inode, Math.max(unheld.get(inode) ?? 0, bytes));
}

/** With what is swapped out. Null for a process that may not be read. */
function proportionalShare(pid: number): { readonly privateBytes: number; readonly sharedBytes: number } | null {
  const text = readProc(`${processFolder(pid)}/smaps_rollup`);
  if (text === null) return null;
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
  const shared = kib("Pss_Shmem");
  return {
    privateBytes: Math.max(0, kib("Pss") + kib("SwapPss") - shared) * KIB,
    sharedBytes: shared * KIB,
  };
}

const residentBytes = (pid: number): number => pagesOf(pid).resident * PAGE_BYTES;
