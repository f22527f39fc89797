import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The inputs of a build. The lock file stands for the installed packages. */
const INPUTS = [
  "src",
  "cli",
  "migrations",
  "console",
  "data",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.client.json",
  "tsconfig.sandbox.json",
];
export const STAMP = "build.json";
/** A package is built inside its own folder, from which it is packed. */
const BUILT = /(^|\/)dist(\.\w+)?\//;

interface Stamp {
  readonly inputs: string;
  /** The size of each built file, by name. */
  readonly outputs: Readonly<Record<string, number>>;
}

/** A hash over the names and contents of all inputs, and the Node.js that the snapshots are made for. */
export async function inputHash(root: string): Promise<string> {
  const { size } = await stat(process.execPath);
  const hash = createHash("sha256").update(`${process.version} ${process.arch} ${size}\n`);
  for (const input of INPUTS) {
    for (const file of (await filesOf(root, input)).filter((name) => !BUILT.test(name)).sort()) {
      const content = await readFile(join(root, file));
      hash.update(`${file}\n${content.length}\n`).update(content);
    }
  }
  // Without them, the client is built without types and the console not at all.
  for (const tool of ["typescript", "vite"]) hash.update(String(existsSync(join(root, "node_modules", tool))));
  return hash.digest("hex");
}

/** Whether a folder was built from these inputs and is complete. */
export async function isUpToDate(folder: string, inputs: string): Promise<boolean> {
  const stamp = await readStamp(folder);
  if (stamp?.inputs !== inputs) return false;
  for (const [name, size] of Object.entries(stamp.outputs)) {
    // A missing file was deleted, or another build replaces the folder now.
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.size !== size) return false;
  }
  return true;
}

export async function writeStamp(folder: string, inputs: string): Promise<void> {
  const stamp: Stamp = { inputs, outputs: await sizesOf(folder) };
  await writeFile(join(folder, STAMP), JSON.stringify(stamp));
}

async function readStamp(folder: string): Promise<Stamp | null> {
  try {
    return JSON.parse(await readFile(join(folder, STAMP), "utf8")) as Stamp;
  } catch {
    // A missing or damaged stamp causes a new build.
    return null;
  }
}

async function sizesOf(folder: string): Promise<Record<string, number>> {
  const files = (await filesOf(folder, ".")).filter((name) => name !== STAMP);
  const sizes = await Promise.all(files.map(async (name) => [name, (await stat(join(folder, name))).size] as const));
  return Object.fromEntries(sizes);
}

/** The file itself, or all files below a folder. */
async function filesOf(root: string, name: string): Promise<string[]> {
  const path = join(root, name);
  if (!(await stat(path)).isDirectory()) return [name];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
