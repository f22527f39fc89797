import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { typeOfPath } from "../../src/contract/orchestrator/knowledge-limits.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";

export interface DocumentFile {
  readonly file: string;
  /** The path that the document gets. */
  readonly path: string;
}

/** Files below folders, with their paths there, and files by their names. Of a folder only those with a known ending. */
export async function findDocuments(places: readonly string[], prefix: string): Promise<readonly DocumentFile[]> {
  const found: DocumentFile[] = [];
  for (const place of places) {
    const info = await stat(place).catch((error: Error) => {
      throw new CliFailure("usage", `${safe(place)} cannot be read (${error.message})`);
    });
    if (info.isDirectory()) found.push(...(await below(place, "")));
    else found.push({ file: place, path: basename(place) });
  }
  return found.map(({ file, path }) => ({ file, path: `${prefix}${path}` }));
}

async function below(folder: string, path: string): Promise<DocumentFile[]> {
  const found: DocumentFile[] = [];
  const entries = await readdir(join(folder, path), { withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const inside = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await below(folder, inside)));
    else if (entry.isFile() && typeOfPath(inside) !== null) found.push({ file: join(folder, inside), path: inside });
  }
  return found;
}
