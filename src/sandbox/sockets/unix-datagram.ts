import { closeDescriptor } from "../processes/process-limits.ts";
import { addressOf, callNative } from "../system/system-calls.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** `MSG_DONTWAIT | MSG_NOSIGNAL` */
const SEND_FLAGS = 0x40 | 0x4000;

/** `struct msghdr` and what it points to, in one buffer. */
const VECTOR_AT = 56;
const CONTROL_AT = 72;
const CONTROL_HEADER_BYTES = 16;
const CONTROL_BYTES = CONTROL_HEADER_BYTES + 8;
const NAME_AT = 96;
/** `sun_path` */
const MAX_PATH_BYTES = 108;
const TEXT_AT = NAME_AT + 2 + MAX_PATH_BYTES;

/**
 * Sends one datagram, with a copy of a descriptor, to a Unix socket: a path, or an abstract name after `@`. Does not
 * wait: throws `SystemCallFailed` with EAGAIN when the receiver's queue is full.
 */
export function sendDatagram(address: string, text: string, descriptor: number | null = null): void {
  const message = messageOf(socketPath(address), Buffer.from(text), descriptor);
  const socket = callNative("socket", [AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0]);
  try {
    callNative("sendmsg", [socket, message, SEND_FLAGS]);
  } finally {
    closeDescriptor(socket);
  }
}

function socketPath(address: string): Buffer {
  const path = Buffer.from(address);
  if (!/^[@/]/.test(address) || path.length > MAX_PATH_BYTES)
    throw new Error(`expected an absolute path, or @ and a name, of at most ${MAX_PATH_BYTES} bytes, got ${address}`);
  if (address.startsWith("@")) path[0] = 0;
  return path;
}

function messageOf(path: Buffer, text: Buffer, descriptor: number | null): Buffer {
  const message = Buffer.alloc(TEXT_AT + text.length);
  const start = addressOf(message);
  message.writeBigUInt64LE(start + BigInt(NAME_AT), 0);
  // The exact length: an abstract name is not terminated.
  message.writeUInt32LE(2 + path.length, 8);
  message.writeBigUInt64LE(start + BigInt(VECTOR_AT), 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(start + BigInt(TEXT_AT), VECTOR_AT);
  message.writeBigUInt64LE(BigInt(text.length), VECTOR_AT + 8);
  message.writeUInt16LE(AF_UNIX, NAME_AT);
  path.copy(message, NAME_AT + 2);
  text.copy(message, TEXT_AT);
  if (descriptor === null) return message;
  message.writeBigUInt64LE(start + BigInt(CONTROL_AT), 32);
  message.writeBigUInt64LE(BigInt(CONTROL_BYTES), 40);
  // `struct cmsghdr` and one descriptor, padded to 8 bytes.
  message.writeBigUInt64LE(BigInt(CONTROL_HEADER_BYTES + 4), CONTROL_AT);
  message.writeInt32LE(SOL_SOCKET, CONTROL_AT + 8);
  message.writeInt32LE(SCM_RIGHTS, CONTROL_AT + 12);
  message.writeInt32LE(descriptor, CONTROL_AT + CONTROL_HEADER_BYTES);
  return message;
}
