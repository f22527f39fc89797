import { PassThrough, Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ZipFile } from "yazl";
import { inBackground } from "../../shared/background.ts";
import { TarWriter } from "../../shared/tar.ts";

/** Half of the time of the default, for some five per cent more bytes. */
const COMPRESSION = { level: 3 };
const FOLDER_MODE = 0o755;
const PERMISSIONS = 0o777;
/** In a zip file the type is part of the mode. */
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;
/** The times that a zip file can have. A program can set any. */
const ZIP_TIMES = { first: Date.UTC(1980, 0, 2), last: Date.UTC(2037, 0, 1) } as const;

interface FileHeader {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly modifiedAt: Date;
}

/** Where an archive is written, whose reader sets the pace. */
export interface ArchiveSink {
  readonly stream: Readable;
  /** Resolves when the body was taken. */
  file(header: FileHeader, body: AsyncIterable<Uint8Array>): Promise<void>;
  folder(name: string, modifiedAt: Date): Promise<void>;
  finish(): void;
  fail(error: Error): void;
}

export const openSink = (format: "tar.gz" | "zip"): ArchiveSink => (format === "zip" ? zipSink() : tarSink());

function tarSink(): ArchiveSink {
  const writer = new TarWriter();
  const stream = createGzip(COMPRESSION);
  inBackground(
    "compression of an archive",
    pipeline(writer.stream, stream).catch(() => undefined),
  );
  const common = { type: "file", target: "" } as const;
  return {
    stream,
    file: ({ name, size, mode, modifiedAt }, body) =>
      writer.add({ ...common, path: name, size, mode: mode & PERMISSIONS, modifiedAt }, body),
    folder: (name, modifiedAt) =>
      writer.add({ ...common, type: "directory", path: name, size: 0, mode: FOLDER_MODE, modifiedAt }),
    finish: () => writer.finish(),
    fail(error) {
      writer.fail(error);
      stream.destroy(error);
    },
  };
}

function zipSink(): ArchiveSink {
  const zip = new ZipFile();
  const stream = new PassThrough();
  inBackground(
    "writing of an archive",
    pipeline(zip.outputStream, stream).catch(() => undefined),
  );
  zip.on("error", (error: Error) => stream.destroy(error));
  const timeOf = (time: Date) => new Date(Math.min(ZIP_TIMES.last, Math.max(ZIP_TIMES.first, time.getTime())));
  let current: Readable | undefined;
  return {
    stream,
    async file({ name, mode, modifiedAt }, body) {
      const source = Readable.from(body, { objectMode: false });
      current = source;
      zip.addReadStream(source, name, {
        mtime: timeOf(modifiedAt),
        mode: REGULAR_FILE | (mode & PERMISSIONS),
        compressionLevel: COMPRESSION.level,
      });
      // One at a time: what was removed meanwhile is never announced.
      await finished(source);
    },
    async folder(name, modifiedAt) {
      zip.addEmptyDirectory(name, { mtime: timeOf(modifiedAt), mode: FOLDER | FOLDER_MODE });
    },
    finish: () => zip.end(),
    fail(error) {
      current?.destroy(error);
      stream.destroy(error);
    },
  };
}
