import type { Readable } from "node:stream";
import { type ARCHIVE_FORMATS, MAX_ARCHIVE_ENTRIES } from "../../contract/engine/file-limits.ts";
import type { FileEntry } from "../../contract/engine/file.ts";
import { inBackground } from "../../shared/background.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { ArchiveSink } from "./archive-sinks.ts";
import { chunksOfFile } from "./file-chunks.ts";
import { listFolder } from "./list-folder.ts";
import { openContent } from "./open-content.ts";

export interface ArchiveOptions {
  readonly format: (typeof ARCHIVE_FORMATS)[number];
  /** Ends it when its reader is gone. */
  readonly signal: AbortSignal;
}

/**
 * The files and folders of a folder as an archive, which is made as it is read. Links, pipes and what cannot be read are left
 * out, and so is what is removed meanwhile.
 */
export async function archiveFolder(
  workspaceDir: string,
  names: readonly string[],
  { format, signal }: ArchiveOptions,
): Promise<Readable> {
  const walk = { recursive: true, limit: MAX_ARCHIVE_ENTRIES, signal };
  const { entries, truncated } = await listFolder(workspaceDir, names, walk);
  if (truncated)
    throw new EngineError(
      "PAYLOAD_TOO_LARGE",
      `path: expected a folder with at most ${MAX_ARCHIVE_ENTRIES} files and folders, and 100 levels`,
    );
  // Loaded at first use: few engines ever make an archive.
  const { openSink } = await import("./archive-sinks.ts");
  const sink = openSink(format);
  const above = names.slice(0, -1).join("/");
  const fill = async () => {
    try {
      for (const entry of entries) {
        signal.throwIfAborted();
        await addEntry(sink, entry, { workspaceDir, nameInArchive: nameIn(entry.path, above) });
      }
      sink.finish();
    } catch (error) {
      sink.fail(error instanceof Error ? error : new Error(String(error)));
    }
  };
  signal.addEventListener("abort", () => sink.fail(new Error("the reader is gone")), { once: true });
  inBackground("archive of files", fill());
  return sink.stream;
}

async function addEntry(
  sink: ArchiveSink,
  { path, type, modified_at: modifiedAt }: FileEntry,
  { workspaceDir, nameInArchive }: { readonly workspaceDir: string; readonly nameInArchive: string },
): Promise<void> {
  if (type === "folder") return sink.folder(nameInArchive, new Date(modifiedAt));
  if (type !== "file") return;
  const opened = await unlessGone(openContent(workspaceDir, path.split("/")));
  if (opened === null) return;
  await using file = opened.file;
  const { size, mode, mtime } = opened.stats;
  // A file that grows is read up to the size it had, as a log is.
  const body = chunksOfFile(file, { start: 0, end: size }, null);
  await sink.file({ name: nameInArchive, size, mode, modifiedAt: mtime }, body);
}

/** Null for what was removed or exchanged since it was listed, and for a file that may not be read. */
async function unlessGone<T>(opening: Promise<T>): Promise<T | null> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof InvalidInput || (error instanceof EngineError && error.code === "NOT_FOUND")) return null;
    throw error;
  }
}

/**
 * The name of an entry, within the folder that is archived. Windows reads a backslash as a separator and a letter with a colon
 * as a drive: with them a name could lead out of the folder into which the archive is unpacked.
 */
export function nameIn(path: string, above: string): string {
  const within = above === "" ? path : path.slice(above.length + 1);
  return within.replaceAll("\\", "_").replace(/^([A-Za-z]):/, "$1_");
}
