import fs, { readdirSync } from "node:fs";
import promises from "node:fs/promises";

/**
 * Runs `work` while the functions of `node:fs/promises` do their work at once instead of in the thread pool. A thread of
 * the pool would stay outside the confinement that follows.
 */
export async function withoutThreadPool<T>(work: () => Promise<T>): Promise<T> {
  const own = { ...promises };
  Object.assign(promises, synchronous(Object.keys(own)));
  try {
    return await work();
  } finally {
    Object.assign(promises, own);
  }
}

/** How many threads this process has. */
export const threadCount = (): number => readdirSync("/proc/self/task").length;

type Functions = Record<string, ((...args: readonly unknown[]) => unknown) | undefined>;

function synchronous(names: readonly string[]): Functions {
  const functions: Functions = {};
  for (const name of names) {
    const now = (fs as unknown as Functions)[`${name}Sync`];
    if (now !== undefined) functions[name] = async (...args) => now(...args);
  }
  functions["open"] = async (...args) => openFile(fs.openSync(...(args as Parameters<typeof fs.openSync>)));
  return functions;
}

/** A file in the place of a `FileHandle`, with the methods that engines use. */
const openFile = (fd: number) => ({
  fd,
  stat: async () => fs.fstatSync(fd),
  read: async (buffer: Uint8Array, offset?: number, length?: number, position?: number | null) => {
    const bytesRead = fs.readSync(fd, buffer, offset ?? 0, length ?? buffer.byteLength, position ?? null);
    return { bytesRead, buffer };
  },
  readFile: async () => fs.readFileSync(fd),
  writeFile: async (content: string | Uint8Array) => fs.writeFileSync(fd, content),
  chmod: async (mode: number) => fs.fchmodSync(fd, mode),
  sync: async () => fs.fsyncSync(fd),
  datasync: async () => fs.fdatasyncSync(fd),
  close: async () => fs.closeSync(fd),
});
