import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CatalogFile } from "../../../contract/orchestrator/catalog.ts";

/** The files below a folder, with their hashes. */
export async function hashFolder(folder: string): Promise<readonly CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const place = join(entry.parentPath, entry.name);
    const hash = createHash("sha256");
    if (entry.isFile()) await pipeline(createReadStream(place), hash);
    const { size, mode } = await stat(place);
    files.push({
      path: relative(folder, place),
      bytes: size,
      sha256: hash.digest("hex"),
      executable: (mode & 0o100) !== 0,
    });
  }
  return files;
}
