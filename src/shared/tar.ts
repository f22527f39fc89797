import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type TarHeader, createTarDecoder, createTarPacker } from "modern-tar";

/** One entry of a tar archive. */
export interface Member {
  readonly path: string;
  /** `other`: a type that no archive of ours has, such as a hard link or a device. */
  readonly type: "file" | "directory" | "symlink" | "other";
  /** Bytes of the body; 0 unless it is a file. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedAt: Date;
  /** The target of a symbolic link. */
  readonly target: string;
}

type Body = AsyncIterable<Uint8Array>;

/** Writes a tar archive to `stream`, whose reader sets the pace. */
export class TarWriter {
  readonly #packer = createTarPacker();
  readonly stream: Readable = Readable.fromWeb(this.#packer.readable as NodeReadableStream<Uint8Array>);

  /** The body must have exactly `member.size` bytes. A folder and a link have none. */
  async add({ path, type, size, mode, modifiedAt, target }: Member, body: Body = nothing()): Promise<void> {
    if (type === "other") throw new TypeError(`${path}: expected a file, a folder or a symbolic link`);
    const header: TarHeader = { name: path, type, size, mode, mtime: modifiedAt, uid: 0, gid: 0 };
    const writer = this.#packer.controller
      .add(type === "symlink" ? { ...header, linkname: target } : header)
      .getWriter();
    for await (const chunk of body) await writer.write(chunk);
    await writer.close();
  }

  finish(): void {
    this.#packer.controller.finalize();
  }

  /** Ends the stream with an error. */
  fail(error: Error): void {
    this.#packer.controller.error(error);
  }
}

export async function* nothing(): AsyncGenerator<Uint8Array> {
  // The archive has ended.
}

/** Reads a tar archive member by member. A body that is not read is skipped. Throws for a malformed or incomplete one. */
export async function* readTar(source: Readable): AsyncGenerator<{ readonly member: Member; readonly body: Body }> {
  const entries = Readable.toWeb(source).pipeThrough(createTarDecoder({ strict: true }) as never) as ReadableStream<{
    readonly header: TarHeader;
    readonly body: ReadableStream<Uint8Array>;
  }>;
  for await (const { header, body } of entries as unknown as AsyncIterable<{
    readonly header: TarHeader;
    readonly body: NodeReadableStream<Uint8Array>;
  }>) {
    yield { member: memberOf(header), body };
    if (!body.locked) await body.cancel();
  }
}

function memberOf({ name, type = "file", size, mode = 0, mtime = new Date(0), linkname = "" }: TarHeader): Member {
  const known = type === "file" || type === "directory" || type === "symlink";
  return {
    path: type === "directory" ? name.replace(/\/$/, "") : name,
    type: known ? type : "other",
    size: type === "file" ? size : 0,
    mode: mode & 0o777,
    modifiedAt: mtime,
    target: linkname,
  };
}
