import { readFile, stat, writeFile } from "node:fs/promises";
import { hasCode } from "./error-code.ts";

/** Whether something is there; an error of another kind (no permission) is thrown. */
export async function exists(path: string): Promise<boolean> {
  // Not access(): for a user other than root it leaves out the capabilities that the daemon has under systemd.
  return (await unlessMissing(stat(path))) !== null;
}

/** The text of a file, or null if there is none. */
export const readIfThere = (path: string): Promise<string | null> => unlessMissing(readFile(path, "utf8"));

/** Reads a file that only its owner may read, or creates it. Of several processes that start together, one creates it. */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  try {
    await writeFile(path, `${create()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const text = (await readFile(path, "utf8")).trim();
  if (text === "") throw new Error(`${path} is empty`);
  return text;
}

/** Null when the path does not exist. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
