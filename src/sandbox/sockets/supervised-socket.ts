import { closeDescriptor } from "../processes/process-limits.ts";
import { copyDescriptorOf, readMemory } from "../processes/other-process.ts";
import { type SupervisedCall, stillWaits } from "../seccomp/supervised-calls.ts";
import { SYSTEM_CALLS } from "../system/system-call-numbers.ts";
import { SystemCallFailed, byProcessor, callNative } from "../system/system-calls.ts";
import { type SocketRules, decideBind, decideConnect, maySocketListen } from "./socket-decision.ts";

const EPERM = 1;
const EACCES = 13;
const EINVAL = 22;
const EISCONN = 106;
const EALREADY = 114;
const EINPROGRESS = 115;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const SOL_SOCKET = 1;
const SO_LINGER = 13;
/** `struct linger` */
const LINGER_BYTES = 8;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
/** `struct sockaddr_storage` */
const MAX_ADDRESS_BYTES = 128;

/** A `connect` that its thread waits for, and that goes on in a copy of the socket. */
export interface WaitingConnect {
  readonly call: SupervisedCall;
  /** The copy, which its receiver closes. */
  readonly socket: number;
  /** The errno of its end, 0 for a connection, or null while it goes on. */
  readonly retry: () => number | null;
}

/**
 * Carries out a call of a program on a copy of its socket, if the rules allow. Its argument is read once, and the copy gets
 * that one: what the program changes meanwhile, its memory or its descriptors, has no effect. Returns the errno of the answer
 * or 0, null when the thread has ended, or a connection that takes longer.
 */
export function superviseSocketCall(
  call: SupervisedCall,
  { listener, rules }: { readonly listener: number; readonly rules: SocketRules },
): number | null | WaitingConnect {
  let socket: number | null = null;
  let result: number | null | WaitingConnect = null;
  try {
    socket = copyDescriptorOf(call.thread, call.int(0));
    const bytes = readArgument(call);
    // The id of a thread may be another's once it has ended.
    if (!stillWaits(listener, call)) return null;
    result = carryOut(call, { socket, bytes, rules });
    return result;
  } catch (error) {
    if (!(error instanceof SystemCallFailed)) return stillWaits(listener, call) ? EACCES : null;
    // A program that may not be read, such as one of mode 0111.
    return error.errno === EPERM ? EACCES : error.errno;
  } finally {
    if (socket !== null && (result === null || typeof result === "number")) closeDescriptor(socket);
  }
}

interface Parts {
  readonly socket: number;
  /** What the call's pointer leads to: an address or the value of an option. Null for `listen`, which has none. */
  readonly bytes: Buffer | null;
  readonly rules: SocketRules;
}

function carryOut(call: SupervisedCall, { socket, bytes, rules }: Parts): number | WaitingConnect {
  if (bytes === null) {
    if (!maySocketListen(localAddress(socket), rules)) return EACCES;
    callNative("listen", [socket, call.int(1)]);
    return 0;
  }
  if (isNumber(call, "setsockopt")) return setLinger(socket, bytes);
  if (isNumber(call, "bind")) {
    const decision = decideBind(bytes, rules, { isV6Only: () => isV6Only(socket) });
    if ("errno" in decision) return decision.errno;
    callNative("bind", [socket, decision.address, decision.address.length]);
    return 0;
  }
  if (!isNumber(call, "connect")) return EACCES;
  const decision = decideConnect(bytes, rules);
  return "errno" in decision ? decision.errno : connect(call, socket, decision.address);
}

/**
 * Without a time. The thread closes its copy of a socket, perhaps after the program closed its own, and would wait so long for
 * a peer that does not read. A time of 0, which resets the connection, does not wait.
 */
function setLinger(socket: number, value: Buffer): number {
  const waits = value.readInt32LE(0) !== 0 && value.readInt32LE(4) !== 0;
  callNative("setsockopt", [socket, SOL_SOCKET, SO_LINGER, waits ? Buffer.alloc(LINGER_BYTES) : value, LINGER_BYTES]);
  return 0;
}

/** As the kernel: a socket that does not block gets the errno at once. */
function connect(call: SupervisedCall, socket: number, address: Buffer): number | WaitingConnect {
  const isBlocking = (callNative("fcntl", [socket, F_GETFL]) & O_NONBLOCK) === 0;
  if (!isBlocking) return connectNow(socket, address);
  const attempt = () => {
    const errno = connectWithoutBlocking(socket, address);
    return errno === EINPROGRESS || errno === EALREADY ? null : errno;
  };
  const errno = attempt();
  if (errno !== null) return errno;
  const retry = () => {
    const end = attempt();
    return end === EISCONN ? 0 : end;
  };
  return { call, socket, retry };
}

/** The flag belongs to the program's socket too, which is not connected meanwhile. */
function connectWithoutBlocking(socket: number, address: Buffer): number {
  const flags = callNative("fcntl", [socket, F_GETFL]);
  callNative("fcntl", [socket, F_SETFL, flags | O_NONBLOCK]);
  try {
    return connectNow(socket, address);
  } finally {
    callNative("fcntl", [socket, F_SETFL, flags]);
  }
}

function connectNow(socket: number, address: Buffer): number {
  try {
    return callNative("connect", [socket, address, address.length]);
  } catch (error) {
    if (error instanceof SystemCallFailed) return error.errno;
    throw error;
  }
}

function readArgument(call: SupervisedCall): Buffer | null {
  if (isNumber(call, "listen")) return null;
  if (isNumber(call, "setsockopt")) {
    if (call.int(4) < LINGER_BYTES) throw new SystemCallFailed("an option of a socket", EINVAL);
    return readBytes(call, 3, LINGER_BYTES);
  }
  const length = call.int(2);
  if (length < 2 || length > MAX_ADDRESS_BYTES) throw new SystemCallFailed("the address of a socket", EINVAL);
  return readBytes(call, 1, length);
}

function readBytes(call: SupervisedCall, argument: number, length: number): Buffer {
  const bytes = readMemory(call.thread, call.address(argument), length);
  if (bytes.length < length) throw new SystemCallFailed("the argument of a socket call", EINVAL);
  return bytes;
}

function localAddress(socket: number): Buffer {
  const address = Buffer.alloc(MAX_ADDRESS_BYTES);
  callNative("getsockname", [socket, address, int(address.length)]);
  return address;
}

function isV6Only(socket: number): boolean {
  const value = Buffer.alloc(4);
  callNative("getsockopt", [socket, IPPROTO_IPV6, IPV6_V6ONLY, value, int(value.length)]);
  return value.readInt32LE() !== 0;
}

const isNumber = ({ number }: SupervisedCall, name: "bind" | "connect" | "listen" | "setsockopt"): boolean =>
  number === byProcessor<number>(SYSTEM_CALLS[name]);

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
