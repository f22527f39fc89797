import { readFileSync } from "node:fs";
import { hasCode } from "../system/error-code.ts";
import { copyDescriptor } from "../sockets/listening-sockets.ts";
import { SYSTEM_CALLS } from "../system/system-call-numbers.ts";
import { addressOf, byProcessor, callNative, systemCall } from "../system/system-calls.ts";

/** `Name: hexadecimal` lines of `/proc/<pid>/status`, whose bits are signals. */
const SIGNAL_SETS = /^(SigPnd|ShdPnd|SigBlk|SigIgn):\s+([0-9a-f]+)$/gm;

/** `struct iovec` */
const VECTOR_BYTES = 16;
const BYTES_AT = 2 * VECTOR_BYTES;
/** -1 as an `int` */
const NO_DESCRIPTOR = 0xffff_ffff;

/** Memory of another process, which this one may trace. Throws `SystemCallFailed`, such as EFAULT. */
export function readMemory(pid: number, address: bigint, length: number): Buffer {
  // `struct iovec` twice, and the bytes.
  const buffer = Buffer.alloc(BYTES_AT + length);
  const start = addressOf(buffer);
  const size = BigInt(length);
  for (const [index, value] of [start + BigInt(BYTES_AT), size, address, size].entries())
    buffer.writeBigUInt64LE(value, 8 * index);
  const read = callNative("process_vm_readv", [pid, buffer, 1, start + BigInt(VECTOR_BYTES), 1, 0]);
  // The kernel reads what is there when a part is not.
  return buffer.subarray(BYTES_AT, BYTES_AT + read);
}

/** Whether this process may read memory at all: it tries with its own. */
export function canReadMemory(): boolean {
  const byte = Buffer.from([1]);
  try {
    return readMemory(process.pid, addressOf(byte), byte.length).equals(byte);
  } catch (error) {
    if (hasCode(error, "ENOSYS", "EPERM")) return false;
    throw error;
  }
}

/** Whether the host has `pidfd_getfd`: it is told a descriptor that does not exist. */
export function canCopyDescriptors(): boolean {
  try {
    systemCall("pidfd_getfd", byProcessor(SYSTEM_CALLS.pidfd_getfd), NO_DESCRIPTOR, 0, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EBADF");
  }
}

/** As `copyDescriptor`, of the process to which a thread belongs. */
export function copyDescriptorOf(thread: number, descriptor: number): number {
  try {
    return copyDescriptor(thread, descriptor);
  } catch (error) {
    // `pidfd_open` takes the first thread of a process only.
    if (!hasCode(error, "EINVAL", "ENOENT")) throw error;
  }
  const [, process = "0"] = /^Tgid:\s+(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, "utf8")) ?? [];
  return copyDescriptor(Number(process), descriptor);
}

/** Whether a signal waits for a thread that neither blocks nor ignores it. */
export function hasPendingSignal(thread: number): boolean {
  const status = readFileSync(`/proc/${thread}/status`, "latin1");
  const sets = new Map([...status.matchAll(SIGNAL_SETS)].map(([, name, bits]) => [name, BigInt(`0x${bits}`)]));
  const set = (name: string) => sets.get(name) ?? 0n;
  return ((set("SigPnd") | set("ShdPnd")) & ~set("SigBlk") & ~set("SigIgn")) !== 0n;
}
