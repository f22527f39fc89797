import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AUDIT_HEADS_FILE, type AuditHead, parseHeads } from "../src/contract/audit-chain.ts";
import { CliFailure } from "./exit-codes.ts";

const LOCAL = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The heads that the daemon recorded: those of a file that is named, else of the data folder when the daemon is on this
 * machine and the file can be read.
 */
export async function recordedHeads(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  file: string | undefined,
): Promise<readonly AuditHead[]> {
  if (file === undefined && !LOCAL.has(URL.parse(url)?.hostname ?? "")) return [];
  const path = file ?? join(dataDir, AUDIT_HEADS_FILE);
  try {
    return parseHeads(await readFile(path, "utf8"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (file === undefined && (code === "ENOENT" || code === "EACCES")) return [];
    throw new CliFailure("usage", `--heads: ${path} cannot be read (${String(code)})`);
  }
}
