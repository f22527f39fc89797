import { SystemCallFailed, callNative } from "../system/system-calls.ts";

/** Requests of `ioctl`: `SECCOMP_IOCTL_NOTIF_RECV`, `SECCOMP_IOCTL_NOTIF_SEND`, `SECCOMP_IOCTL_NOTIF_ID_VALID`. */
const RECEIVE = 0xc050_2100;
const SEND = 0xc018_2101;
const ID_VALID = 0x4008_2102;
/** The sizes of `struct seccomp_notif` and `struct seccomp_notif_resp`, which are part of the requests. */
const CALL_BYTES = 80;
const ANSWER_BYTES = 24;
const ARGUMENTS_AT = 32;
const ENOENT = 2;

/** A system call that waits for the answer of a supervisor: `struct seccomp_notif`. */
export interface SupervisedCall {
  readonly id: bigint;
  /** The thread that waits. */
  readonly thread: number;
  readonly number: number;
  /** An argument that the kernel takes as `int`. */
  readonly int: (index: number) => number;
  /** An argument that the kernel takes as an address. */
  readonly address: (index: number) => bigint;
}

/** Call it when `listener` is readable. Null when the calling thread was killed meanwhile. */
export function receiveCall(listener: number): SupervisedCall | null {
  const call = Buffer.alloc(CALL_BYTES);
  if (!requested(listener, RECEIVE, call)) return null;
  return {
    id: call.readBigUInt64LE(0),
    thread: call.readUInt32LE(8),
    number: call.readInt32LE(16),
    int: (index) => call.readInt32LE(ARGUMENTS_AT + 8 * index),
    address: (index) => call.readBigUInt64LE(ARGUMENTS_AT + 8 * index),
  };
}

/** Whether the thread still waits. If it does, everything that was read of it before was its own. */
export function stillWaits(listener: number, { id }: Pick<SupervisedCall, "id">): boolean {
  const argument = Buffer.alloc(8);
  argument.writeBigUInt64LE(id);
  return requested(listener, ID_VALID, argument);
}

/** Lets the call return 0, or fail with an errno. Nothing happens when its thread was killed. */
export function answerCall(listener: number, { id }: Pick<SupervisedCall, "id">, errno: number): void {
  const answer = Buffer.alloc(ANSWER_BYTES);
  answer.writeBigUInt64LE(id, 0);
  answer.writeInt32LE(-errno, 16);
  requested(listener, SEND, answer);
}

function requested(listener: number, request: number, argument: Buffer): boolean {
  try {
    callNative("ioctl", [listener, request, argument], "ioctl of a seccomp listener");
    return true;
  } catch (error) {
    if (error instanceof SystemCallFailed && error.errno === ENOENT) return false;
    throw error;
  }
}
