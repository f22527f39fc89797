import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { KNOWLEDGE_FILE } from "../../../contract/engine/knowledge-file.ts";
import { countedVectors } from "../../../contract/orchestrator/knowledge-order.ts";
import { exists, readIfThere, unlessMissing } from "../../../shared/files.ts";

/** In the folder of a version, beside its file. */
const VERSION = "version.json";
export const STAGE = ".new-";

const versionFile = z.object({
  /** Of the documents. */
  digest: z.string(),
  /** The digest of each document's content, by path. */
  contents: z.record(z.string(), z.string()),
  vectors: countedVectors,
  /** Milliseconds since the epoch. */
  made_at: z.number(),
});

/** What a file of knowledge was made from, and which vectors it has. */
type KnowledgeVersionFile = z.output<typeof versionFile>;

export const writeVersion = (folder: string, version: KnowledgeVersionFile): Promise<void> =>
  writeFile(join(folder, VERSION), JSON.stringify(version), { mode: 0o600 });

/** A complete version, in the folder of its name. */
type Version = KnowledgeVersionFile & { readonly name: string };

/** The complete versions in a product's folder. */
export async function readVersions(folder: string): Promise<readonly Version[]> {
  const versions: Version[] = [];
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (name.startsWith(STAGE) || !(await exists(join(folder, name, KNOWLEDGE_FILE)))) continue;
    const text = await readIfThere(join(folder, name, VERSION));
    if (text !== null) versions.push({ name, ...versionFile.parse(JSON.parse(text)) });
  }
  return versions;
}

/** The version that was made last, of any documents or of those of a digest. */
export const newest = (versions: readonly Version[], digest?: string | null): Version | undefined =>
  versions
    .filter((one) => digest === undefined || one.digest === digest)
    .reduce<Version | undefined>(
      (last, one) => (last !== undefined && last.made_at >= one.made_at ? last : one),
      undefined,
    );
