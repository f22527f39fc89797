import { getSystemErrorName } from "node:util";

/**
 * Calls of the C library and of the Linux kernel through `node:ffi` (Node.js 26.1 or newer). Nothing is loaded until the
 * first call.
 */
interface Ffi {
  dlopen(library: null, definitions: Record<string, Signature>): { readonly functions: Record<string, NativeFunction> };
  getRawPointer(buffer: Buffer): bigint;
  getInt32(pointer: bigint, offset: number): number;
  setUint8(pointer: bigint, offset: number, value: number): void;
}
interface Signature {
  readonly arguments: readonly string[];
  readonly return: string;
}
type NativeFunction = (...args: readonly (number | bigint)[]) => number | bigint;

const WORD = "u64";
const FUNCTIONS = {
  syscall: { arguments: ["i64", WORD, WORD, WORD, WORD], return: "i64" },
  prctl: { arguments: ["i32", WORD, WORD, WORD, WORD], return: "i32" },
  pipe2: { arguments: [WORD, "i32"], return: "i32" },
  close: { arguments: ["i32"], return: "i32" },
  setrlimit: { arguments: ["i32", WORD], return: "i32" },
  fcntl: { arguments: ["i32", "i32", WORD], return: "i32" },
  socket: { arguments: ["i32", "i32", "i32"], return: "i32" },
  setsockopt: { arguments: ["i32", "i32", "i32", WORD, "i32"], return: "i32" },
  getsockopt: { arguments: ["i32", "i32", "i32", WORD, WORD], return: "i32" },
  bind: { arguments: ["i32", WORD, "i32"], return: "i32" },
  listen: { arguments: ["i32", "i32"], return: "i32" },
  getsockname: { arguments: ["i32", WORD, WORD], return: "i32" },
  sendmsg: { arguments: ["i32", WORD, "i32"], return: "i32" },
  recvmsg: { arguments: ["i32", WORD, "i32"], return: "i32" },
  socketpair: { arguments: ["i32", "i32", "i32", WORD], return: "i32" },
  connect: { arguments: ["i32", WORD, "i32"], return: "i32" },
  ioctl: { arguments: ["i32", WORD, WORD], return: "i32" },
  poll: { arguments: [WORD, WORD, "i32"], return: "i32" },
  process_vm_readv: { arguments: ["i32", WORD, WORD, WORD, WORD, WORD], return: "i64" },
  dup2: { arguments: ["i32", "i32"], return: "i32" },
  inet_pton: { arguments: ["i32", WORD, WORD], return: "i32" },
  __errno_location: { arguments: [], return: "pointer" },
} as const satisfies Record<string, Signature>;

type FunctionName = Exclude<keyof typeof FUNCTIONS, "__errno_location">;

/** A call of the C library or the kernel that failed. `errno` is positive. */
export class SystemCallFailed extends Error {
  override readonly name = "SystemCallFailed";
  readonly errno: number;
  /** The name of the errno, such as `EADDRINUSE`. */
  readonly code: string;

  constructor(call: string, errno: number) {
    super(`${call} failed with errno ${errno}`);
    this.errno = errno;
    this.code = getSystemErrorName(-errno);
  }
}

interface Library {
  readonly ffi: Ffi;
  readonly functions: Record<string, NativeFunction>;
  /** Of the last call. Otherwise a buffer might be freed before the kernel uses it: only its address is left of it. */
  lastArguments: readonly unknown[];
}

let library: Library | string | undefined;

/** Why native calls are impossible in this process. Null when they are possible. */
export function nativeProblem(): string | null {
  library ??= load();
  return typeof library === "string" ? library : null;
}

/**
 * Calls a function of the C library. A buffer is passed as its address. Throws {@link SystemCallFailed} for a negative
 * result; `label` names the call in it.
 */
export function callNative(
  name: FunctionName,
  args: readonly (number | bigint | Buffer)[],
  label: string = name,
): number {
  library ??= load();
  if (typeof library === "string") throw new Error(library);
  const { ffi, functions } = library;
  const types = FUNCTIONS[name].arguments;
  library.lastArguments = args;
  const filled = types.map((type, index) => toWord(ffi, args[index] ?? 0, type));
  const result = Number(functions[name]?.(...filled));
  if (result >= 0) return result;
  const errno = ffi.getInt32(functions["__errno_location"]?.() as bigint, 0);
  throw new SystemCallFailed(label, errno);
}

/** Calls the kernel by number. */
export const systemCall = (label: string, number: number, ...args: readonly (number | bigint | Buffer)[]): number =>
  callNative("syscall", [number, ...args], label);

/**
 * The address of a buffer, which must be an argument of the call that uses it, or be used after it: a variable that is used
 * no more keeps nothing from being freed.
 */
export function addressOf(buffer: Buffer): bigint {
  library ??= load();
  if (typeof library === "string") throw new Error(library);
  return library.ffi.getRawPointer(buffer);
}

/** Overwrites memory of this process. The caller guarantees that `address` has space for `bytes`. */
export function overwriteMemory(address: bigint, bytes: Uint8Array): void {
  library ??= load();
  if (typeof library === "string") throw new Error(library);
  for (const [offset, byte] of bytes.entries()) library.ffi.setUint8(address, offset, byte);
}

/** System call numbers differ between processors. */
export function byProcessor<T>(numbers: { readonly x64: T; readonly arm64: T }): T {
  const { arch } = process;
  if (arch === "x64" || arch === "arm64") return numbers[arch];
  throw new Error(`isolation knows the system calls of x64 and arm64, not of ${arch}`);
}

function toWord(ffi: Ffi, value: number | bigint | Buffer, type: string): number | bigint {
  if (type === "i32") return Number(value);
  return typeof value === "object" ? ffi.getRawPointer(value) : BigInt(value);
}

function load(): Library | string {
  if (process.platform !== "linux") return `the operating system is ${process.platform}, not linux`;
  if (process.arch !== "x64" && process.arch !== "arm64") return `the processor is ${process.arch}, not x64 or arm64`;
  const ffi = quietly(() => process.getBuiltinModule("node:ffi") as unknown as Ffi | undefined);
  if (ffi === undefined) return `Node.js ${process.versions.node} has no node:ffi; Node.js 26.10 or newer has it`;
  try {
    return { ffi, functions: ffi.dlopen(null, FUNCTIONS).functions, lastArguments: [] };
  } catch (error) {
    return `node:ffi cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Suppresses only the warning that `node:ffi` is experimental. */
function quietly<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    if (own !== undefined) Object.defineProperty(process, "emitWarning", own);
  }
}
