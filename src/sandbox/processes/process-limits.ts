import { readFileSync } from "node:fs";
import { readProc } from "./process-table.ts";
import { SYSTEM_CALLS } from "../system/system-call-numbers.ts";
import { SystemCallFailed, byProcessor, callNative, systemCall } from "../system/system-calls.ts";

const PR_SET_DUMPABLE = 4;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAPBSET_DROP = 24;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** `_LINUX_CAPABILITY_VERSION_3` */
const CAPABILITY_VERSION = 0x2008_0522;
const EPERM = 1;
const EINVAL = 22;
const O_CLOEXEC = 0o2000000;
const CLOSE_RANGE_CLOEXEC = 4;
const FIRST_DESCRIPTOR = 3;
const LAST_DESCRIPTOR = 0xffff_ffff;

const RESOURCES = { fsize: 1, data: 2, core: 4, nproc: 6, nofile: 7, as: 9 } as const;

/** Sets `no_new_privs`: programs that this thread starts gain no privileges, such as by a set-user-ID bit. */
export function setNoNewPrivileges(): void {
  callNative("prctl", [PR_SET_NO_NEW_PRIVS, 1], "prctl(PR_SET_NO_NEW_PRIVS)");
}

/** Makes the process dumpable again, so that its entries in `/proc` belong to its user. */
export function setDumpable(): void {
  callNative("prctl", [PR_SET_DUMPABLE, 1], "prctl(PR_SET_DUMPABLE)");
}

/** Clears the ambient capabilities: programs that this thread starts inherit none. The thread keeps its own. */
export function clearAmbientCapabilities(): void {
  callNative("prctl", [PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL], "prctl(PR_CAP_AMBIENT)");
}

/** Drops all capabilities of this thread, including the inheritable ones. */
export function dropCapabilities(): void {
  // Read once, since every boot calls this.
  const last = lastCapability();
  for (let capability = 0; capability <= last; capability++)
    unlessRefused(() => callNative("prctl", [PR_CAPBSET_DROP, capability], "prctl(PR_CAPBSET_DROP)"));
  unlessRefused(clearAmbientCapabilities);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(CAPABILITY_VERSION, 0);
  systemCall("capset", byProcessor({ x64: 126, arm64: 91 }), header, Buffer.alloc(24));
}

/** The names of the capabilities, given with their bits, that this process lacks. */
export function missingCapabilities(needed: Readonly<Record<string, number>>): readonly string[] {
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(readProc("/proc/self/status") ?? "")?.[1] ?? "0"}`);
  return Object.entries(needed).flatMap(([name, bit]) => ((held >> BigInt(bit)) & 1n ? [] : [name]));
}

/** Sets a resource limit of this process and of the programs it starts. */
export function setResourceLimit(resource: keyof typeof RESOURCES, soft: number, hard: number): void {
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(BigInt(soft), 0);
  limits.writeBigUInt64LE(BigInt(hard), 8);
  callNative("setrlimit", [RESOURCES[resource], limits], `setrlimit(${resource})`);
}

/** A pipe whose ends are closed in programs that this process starts. */
export function openPipe(): { readonly read: number; readonly write: number } {
  const ends = Buffer.alloc(8);
  callNative("pipe2", [ends, O_CLOEXEC]);
  return { read: ends.readInt32LE(0), write: ends.readInt32LE(4) };
}

/** Closes a descriptor that Node.js did not open, such as one of {@link openPipe}. */
export function closeDescriptor(descriptor: number): void {
  callNative("close", [descriptor]);
}

/**
 * Closes all descriptors but the standard streams in programs that this process starts. Node.js does that for those it
 * opened, but not for those it was started with. Linux 5.11 or newer; throws `SystemCallFailed` before.
 */
export function closeDescriptorsInPrograms(): void {
  const number = byProcessor(SYSTEM_CALLS.close_range);
  systemCall("close_range", number, FIRST_DESCRIPTOR, LAST_DESCRIPTOR, CLOSE_RANGE_CLOEXEC);
}

/** The id of the calling thread. */
export const threadId = (): number => systemCall("gettid", byProcessor({ x64: 186, arm64: 178 }));

const lastCapability = (): number => Number(readFileSync("/proc/sys/kernel/cap_last_cap", "utf8"));

/** Ignores EPERM of a process that has no capabilities. */
function unlessRefused(call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof SystemCallFailed && [EPERM, EINVAL].includes(error.errno))) throw error;
  }
}
