import { hasCode } from "../system/error-code.ts";
import { closeDescriptor } from "../processes/process-limits.ts";
import { addressOf, callNative } from "../system/system-calls.ts";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** `MSG_DONTWAIT | MSG_NOSIGNAL` */
const SEND_FLAGS = 0x40 | 0x4000;
/** `MSG_CMSG_CLOEXEC` */
const RECEIVE_FLAGS = 0x40000000;
/** `MSG_TRUNC | MSG_CTRUNC`, which the kernel sets for a message that did not fit. */
const TRUNCATED = 0x20 | 0x8;

/** Offsets in one buffer: `struct msghdr`, `struct iovec`, and `struct cmsghdr` with descriptors. */
const VECTOR_AT = 56;
const CONTROL_AT = 72;
const CONTROL_HEADER_BYTES = 16;
const MAX_DESCRIPTORS = 4;
const CONTROL_BYTES = CONTROL_HEADER_BYTES + 4 * MAX_DESCRIPTORS;
const DATA_AT = CONTROL_AT + CONTROL_BYTES;

/** The longest message: half of the least buffer that kernels give a socket by default. */
const MAX_MESSAGE_BYTES = 100_000;

/** Bytes, and descriptors that are copied with them. */
export interface SocketMessage {
  readonly data: Buffer;
  /** The receiver owns its copies. Programs that it starts do not inherit them. */
  readonly descriptors: readonly number[];
}

/** Two connected Unix sockets, for messages or for a byte stream. Programs do not inherit them. */
export function openSocketPair(kind: "messages" | "stream"): readonly [number, number] {
  const pair = Buffer.alloc(8);
  const type = kind === "messages" ? SOCK_SEQPACKET : SOCK_STREAM;
  callNative("socketpair", [AF_UNIX, type | SOCK_CLOEXEC, 0, pair]);
  return [pair.readInt32LE(0), pair.readInt32LE(4)];
}

/** Sends a whole message without waiting. Throws `SystemCallFailed`, with EPIPE when the other end is closed. */
export function sendMessage(socket: number, { data, descriptors }: SocketMessage): void {
  if (data.length > MAX_MESSAGE_BYTES || descriptors.length > MAX_DESCRIPTORS)
    throw new RangeError(`expected at most ${MAX_MESSAGE_BYTES} bytes and ${MAX_DESCRIPTORS} descriptors`);
  const message = header(data.length);
  data.copy(message, DATA_AT);
  message.writeBigUInt64LE(BigInt(CONTROL_HEADER_BYTES + 4 * descriptors.length), CONTROL_AT);
  message.writeBigUInt64LE(BigInt(CONTROL_HEADER_BYTES + 4 * descriptors.length), 40);
  message.writeInt32LE(SOL_SOCKET, CONTROL_AT + 8);
  message.writeInt32LE(SCM_RIGHTS, CONTROL_AT + 12);
  for (const [index, descriptor] of descriptors.entries())
    message.writeInt32LE(descriptor, CONTROL_AT + CONTROL_HEADER_BYTES + 4 * index);
  callNative("sendmsg", [socket, message, SEND_FLAGS]);
}

/** Blocks this thread until a message arrives. Null when the other end is closed. Throws for a message that is too long. */
export function receiveMessage(socket: number): SocketMessage | null {
  const message = header(MAX_MESSAGE_BYTES);
  const length = receive(socket, message);
  const descriptors = descriptorsIn(message);
  if ((message.readInt32LE(48) & TRUNCATED) !== 0) {
    for (const descriptor of descriptors) closeDescriptor(descriptor);
    throw new Error("a message did not fit");
  }
  return length === 0 ? null : { data: message.subarray(DATA_AT, DATA_AT + length), descriptors };
}

function receive(socket: number, message: Buffer): number {
  for (;;) {
    try {
      return callNative("recvmsg", [socket, message, RECEIVE_FLAGS]);
    } catch (error) {
      if (!hasCode(error, "EINTR")) throw error;
    }
  }
}

/** The buffer points into itself, so it must stay referenced during the call. */
function header(dataBytes: number): Buffer {
  const message = Buffer.alloc(DATA_AT + dataBytes);
  const start = addressOf(message);
  message.writeBigUInt64LE(start + BigInt(VECTOR_AT), 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(start + BigInt(CONTROL_AT), 32);
  message.writeBigUInt64LE(BigInt(CONTROL_BYTES), 40);
  message.writeBigUInt64LE(start + BigInt(DATA_AT), VECTOR_AT);
  message.writeBigUInt64LE(BigInt(dataBytes), VECTOR_AT + 8);
  return message;
}

function descriptorsIn(message: Buffer): readonly number[] {
  if (message.readBigUInt64LE(40) < BigInt(CONTROL_HEADER_BYTES)) return [];
  const bytes = Number(message.readBigUInt64LE(CONTROL_AT)) - CONTROL_HEADER_BYTES;
  return Array.from({ length: bytes / 4 }, (_, index) =>
    message.readInt32LE(CONTROL_AT + CONTROL_HEADER_BYTES + 4 * index),
  );
}
