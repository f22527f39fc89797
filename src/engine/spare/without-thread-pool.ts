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
  return functions;
}
