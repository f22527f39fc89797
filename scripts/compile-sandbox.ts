import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "..");

/** `@orchd/sandbox`: a module for each source file, and its types. An installation that only runs has no compiler, and needs none. */
export async function compileSandbox(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const project = join(root, "tsconfig.sandbox.json");
  await promisify(execFile)(process.execPath, [compiler, "--project", project, "--outDir", folder]);
  await nameBuiltModules(folder);
}

/** Not every compiler finds `x.d.ts` behind `./x.ts`, which TypeScript leaves in types. */
export async function nameBuiltModules(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    await writeFile(file, (await readFile(file, "utf8")).replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
  }
}
