import { createHash } from "node:crypto";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { CATALOG_LIMITS } from "../../src/contract/orchestrator/catalog-limits.ts";
import type { CatalogFile } from "../../src/contract/orchestrator/catalog.ts";
import { TarWriter, nothing } from "../../src/shared/tar.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";

/** The only hidden file that is packed. */
const SERVERS = ".mcp.json";

interface PackedCatalog {
  readonly archive: Uint8Array<ArrayBuffer>;
  readonly files: readonly CatalogFile[];
}

/** Packs a folder as a product's catalog, without hidden files such as those of git. */
export async function packCatalog(folder: string): Promise<PackedCatalog> {
  const paths = await pathsBelow(folder, "");
  if (paths.length === 0) throw new CliFailure("usage", `${safe(folder)} has no file of a catalog`);
  if (paths.length > CATALOG_LIMITS.entries)
    throw new CliFailure("usage", `${safe(folder)} has more than ${CATALOG_LIMITS.entries} files`);
  const tar = new TarWriter();
  const packed = buffer(tar.stream);
  const files: CatalogFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    const place = join(folder, path);
    const { size, mode } = await stat(place);
    bytes += size;
    if (bytes > CATALOG_LIMITS.bytes)
      throw new CliFailure("usage", `${safe(folder)} has more than ${CATALOG_LIMITS.bytes} bytes`);
    const content = await readFile(place);
    const executable = (mode & 0o100) !== 0;
    const sha256 = createHash("sha256").update(content).digest("hex");
    files.push({ path, bytes: content.length, sha256, executable });
    const member = { path, type: "file", size: content.length, mode: executable ? 0o755 : 0o644 } as const;
    // Sorted, so that the same files give the same archive.
    await tar.add({ ...member, modifiedAt: new Date(0), target: "" }, content.length === 0 ? nothing() : one(content));
  }
  tar.finish();
  return { archive: new Uint8Array(gzipSync(await packed)), files };
}

async function* one(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

async function pathsBelow(folder: string, below: string): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: Error) => {
    throw new CliFailure("usage", `${safe(join(folder, below))} cannot be read (${error.message})`);
  });
  const paths: string[] = [];
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".") && path !== SERVERS) continue;
    if (entry.isDirectory()) paths.push(...(await pathsBelow(folder, path)));
    else if (entry.isFile()) paths.push(path);
    else
      throw new CliFailure("usage", `${safe(join(folder, path))}: expected a file or a folder, got a link or a device`);
  }
  return paths;
}
