/// <reference types="node" />
/** `@orchd/client/file-keys`: keys of engines in a file, for Node.js. */
import { open, readFile, rename } from "node:fs/promises";
import type { KeyStore } from "./key-store.ts";

/**
 * Keeps keys in a JSON file that only this user of the machine can read. One program at a time may use it: a product with
 * several uses its database.
 */
export function fileKeys(path: string): KeyStore {
  let keys: Promise<Map<string, string>> | null = null;
  let written: Promise<unknown> = Promise.resolve();
  const load = () => {
    const loading = keys ?? readKeys(path);
    keys = loading;
    // The next call reads it again.
    loading.catch(() => (keys = null));
    return loading;
  };
  return {
    read: async (engineId) => (await load()).get(engineId),
    async write(engineId, key) {
      (await load()).set(engineId, key);
      // One after another. Each writes what is known when its turn comes.
      const write = async () => replaceFile(path, JSON.stringify(Object.fromEntries(await load())));
      written = written.then(write, write);
      await written;
    },
  };
}

async function readKeys(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const stored = parsed(text);
  // Without the text, which may have keys.
  if (!isKeys(stored)) throw new Error(`${path}: expected a JSON object of keys by the ids of engines`);
  return new Map(Object.entries(stored));
}

const isKeys = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((key) => typeof key === "string");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A program that is killed meanwhile leaves the old file or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    // An earlier file of this name may be readable by others.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
