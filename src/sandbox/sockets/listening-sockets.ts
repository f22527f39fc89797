import { isIP } from "node:net";
import { SYSTEM_CALLS } from "../system/system-call-numbers.ts";
import { SystemCallFailed, byProcessor, callNative, systemCall } from "../system/system-calls.ts";
import { closeDescriptor } from "../processes/process-limits.ts";

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
/** `SOCK_NONBLOCK | SOCK_CLOEXEC` */
const NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
export const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_ACCEPTCONN = 30;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const F_DUPFD_CLOEXEC = 1030;
/** The standard streams are never taken for a duplicate. */
const FIRST_DESCRIPTOR = 3;
const ENOTSOCK = 88;

/** `struct sockaddr_in` or `struct sockaddr_in6` */
interface SocketAddress {
  readonly family: typeof AF_INET | typeof AF_INET6;
  readonly bytes: Buffer;
}

/** An address and a port. Null for a name or an address with a zone, which the kernel does not read. */
export function socketAddress(host: string, port: number): SocketAddress | null {
  const version = isIP(host);
  if (version === 0 || host.includes("%")) return null;
  const family = version === 4 ? AF_INET : AF_INET6;
  const bytes = Buffer.alloc(version === 4 ? 16 : 28);
  bytes.writeUInt16LE(family, 0);
  bytes.writeUInt16BE(port, 2);
  const address = Buffer.alloc(16);
  callNative("inet_pton", [family, Buffer.from(`${host}\0`), address]);
  address.copy(bytes, version === 4 ? 4 : 8, 0, version === 4 ? 4 : 16);
  return { family, bytes };
}

/**
 * The descriptor of a new socket that listens, and that programs do not inherit. Throws {@link SystemCallFailed}, such as
 * `EADDRINUSE`. The IPv6 wildcard takes IPv4 too, as the servers of Node.js do.
 */
export function openListener({ family, bytes }: SocketAddress, backlog: number): number {
  const descriptor = callNative("socket", [family, SOCK_STREAM | NONBLOCK_CLOEXEC, 0]);
  try {
    // Without it, connections of an earlier listener in TIME_WAIT would keep the port.
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
    if (family === AF_INET6) setOption(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    callNative("bind", [descriptor, bytes, bytes.length]);
    callNative("listen", [descriptor, backlog]);
    return descriptor;
  } catch (error) {
    closeDescriptor(descriptor);
    throw error;
  }
}

/** Whether a descriptor is a socket that listens on exactly this address. */
export function listensOn(descriptor: number, { family, bytes }: SocketAddress): boolean {
  const local = Buffer.alloc(28);
  const value = Buffer.alloc(4);
  try {
    callNative("getsockname", [descriptor, local, int(local.length)]);
    callNative("getsockopt", [descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, int(value.length)]);
  } catch (error) {
    if (error instanceof SystemCallFailed && error.errno === ENOTSOCK) return false;
    throw error;
  }
  const address = family === AF_INET ? [2, 8] : [2, 24];
  const same = local.subarray(...address).equals(bytes.subarray(...address));
  return same && local.readUInt16LE(0) === family && value.readInt32LE(0) === 1;
}

/** A second descriptor of the same socket, which programs do not inherit. */
export const duplicate = (descriptor: number): number =>
  callNative("fcntl", [descriptor, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR], "fcntl(F_DUPFD_CLOEXEC)");

/** Closes an inherited descriptor in programs that this process starts. */
export function closeInPrograms(descriptor: number): void {
  callNative("fcntl", [descriptor, F_SETFD, FD_CLOEXEC], "fcntl(F_SETFD)");
}

/**
 * Copies a descriptor of another process: Linux 5.6, and the right to trace that process. Throws
 * {@link SystemCallFailed}.
 */
export function copyDescriptor(pid: number, descriptor: number): number {
  const process = systemCall("pidfd_open", byProcessor(SYSTEM_CALLS.pidfd_open), pid, 0);
  try {
    return systemCall("pidfd_getfd", byProcessor(SYSTEM_CALLS.pidfd_getfd), process, descriptor, 0);
  } finally {
    closeDescriptor(process);
  }
}

/** `setsockopt` with an integer. */
export function setOption(descriptor: number, level: number, option: number, value: number): void {
  const bytes = int(value);
  callNative("setsockopt", [descriptor, level, option, bytes, bytes.length], "setsockopt");
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
