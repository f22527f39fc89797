import { packTar, unpackTar } from "modern-tar";

/** A file of a catalog. A text of null is a file that is not UTF-8 text: it is kept as it is. */
export interface ArchivedFile {
  readonly path: string;
  readonly text: string | null;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly mode: number;
}

/** Files larger than this are not edited here. */
const MAX_TEXT_BYTES = 512 * 1024;
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The files of a tar.gz archive, by their paths. */
export async function readArchive(archive: Blob): Promise<ReadonlyMap<string, ArchivedFile>> {
  const entries = await unpackTar(archive.stream().pipeThrough(new DecompressionStream("gzip")));
  const files = entries.flatMap(({ header, data }) => {
    if ((header.type ?? "file") !== "file") return [];
    const content = new Uint8Array(data ?? new Uint8Array());
    const path = header.name.replace(/^(?:\.\/)+/, "");
    return [{ path, content, text: textOf(content), mode: header.mode ?? 0o644 }];
  });
  return new Map(files.toSorted(byPath).map((file) => [file.path, file]));
}

export async function writeArchive(files: Iterable<ArchivedFile>): Promise<Blob> {
  const entries = [...files].toSorted(byPath).map(({ path, content, mode }) => ({
    header: { name: path, type: "file" as const, size: content.length, mode, mtime: new Date(0), uid: 0, gid: 0 },
    body: content,
  }));
  const tar = new Blob([await packTar(entries)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

export const textFile = (path: string, text: string, mode = 0o644): ArchivedFile => ({
  path,
  text,
  content: new TextEncoder().encode(text),
  mode,
});

const byPath = (left: { readonly path: string }, right: { readonly path: string }): number =>
  left.path < right.path ? -1 : 1;

function textOf(content: Uint8Array): string | null {
  if (content.length > MAX_TEXT_BYTES || content.includes(0)) return null;
  try {
    return DECODER.decode(content);
  } catch {
    return null;
  }
}
