import { existsSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const root = resolve(import.meta.dirname, "..");

/**
 * Builds the console's page into a folder. Returns the files that it was made of, relative to the checkout. An
 * installation that only runs has no Vite, and needs none.
 */
export async function makeConsole(folder: string): Promise<readonly string[]> {
  if (!existsSync(join(root, "node_modules/vite"))) return [];
  const { build } = await import("vite");
  const { consoleOptions } = await import("./console-options.ts");
  const { fastPaint, scriptGroups } = await import("./console-page.ts");
  const built = await build({
    ...consoleOptions,
    logLevel: "warn",
    plugins: [fastPaint],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // The content security policy of the page allows no data URL of a script.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Suppresses the warnings about slow plugins.
      rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: scriptGroups } },
    },
  });
  await compressFiles(folder);
  const outputs = Array.isArray(built) ? built : "output" in built ? [built] : [];
  return outputs
    .flatMap(({ output }) => output)
    .flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
    .filter((module) => isAbsolute(module))
    .map((module) => relative(root, module));
}

/** Writes the compressed forms beside each file, so that the daemon only sends them. */
async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}
