import { sha256 } from "./api-keys.ts";

/** The digest of documents: those of their contents, by path. Null for none. */
export function knowledgeDigest(contents: ReadonlyMap<string, string>): string | null {
  if (contents.size === 0) return null;
  const lines = [...contents].map(([path, digest]) => `${digest} ${path}\n`).sort();
  return sha256(lines.join(""));
}
