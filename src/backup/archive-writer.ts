import { type Hash, createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { encryptWith } from "./encryption.ts";
import {
  type BackupHeader,
  type BackupManifest,
  HEADER_FILE,
  type ListedMember,
  type ListedSection,
  MANIFEST_FILE,
  listFile,
} from "./format.ts";
import { MemberRules } from "./member-rules.ts";
import { type Member, TarWriter, nothing } from "../shared/tar.ts";

/** Level 1 is twice as fast as the default and 10 % larger. */
const GZIP = { level: 1 };
const ZEROS = Buffer.alloc(65_536);

/** What a member's body lacks is filled with zeros. The section's list has the hash of what was written. */
export class BodyCut extends Error {
  override readonly name = "BodyCut";
}

/** Writes an archive to a file. Its content is on the disk when {@link finish} resolves. */
export class ArchiveWriter {
  readonly #tar = new TarWriter();
  readonly #file: Writable;
  readonly #written: Promise<void>;
  readonly #sections: ListedSection[] = [];
  #error: Error | null = null;

  /** Creates the file, which must not exist. */
  constructor(file: string, { passphrase }: { readonly passphrase: string | null }) {
    this.#file = createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
    const gzip = createGzip(GZIP);
    this.#written =
      passphrase === null
        ? pipeline(this.#tar.stream, gzip, this.#file)
        : pipeline(this.#tar.stream, gzip, encryptWith(passphrase), this.#file);
    this.#written.catch((error: Error) => (this.#error = error));
  }

  /** Bytes of the archive so far. */
  get bytes(): number {
    return "bytesWritten" in this.#file ? Number(this.#file.bytesWritten) : 0;
  }

  header(header: BackupHeader): Promise<void> {
    return this.#document(HEADER_FILE, `${JSON.stringify(header, null, 2)}\n`);
  }

  /** Writes one section. `work` returns why the section lacks files, or null. */
  async section(name: string, work: (add: SectionWriter["add"]) => Promise<string | null>): Promise<void> {
    const section = new SectionWriter(name, this.#tar);
    const incomplete = await work((member, body) => section.add(member, body));
    const list = section.list();
    await this.#document(listFile(name), list);
    const sha256 = createHash("sha256").update(list).digest("hex");
    this.#sections.push({ name, members: section.members, bytes: section.bytes, sha256, incomplete });
  }

  async finish(rest: Omit<BackupManifest, "sections">): Promise<BackupManifest> {
    const manifest = { sections: this.#sections, ...rest };
    await this.#document(MANIFEST_FILE, `${JSON.stringify(manifest)}\n`);
    this.#tar.finish();
    await this.#written;
    return manifest;
  }

  /** Ends the writing. The caller removes the file. Returns the error of the file, such as a full disk, or `cause`. */
  async abort(cause: Error): Promise<Error> {
    const error = this.#error ?? cause;
    if (this.#error === null) this.#tar.fail(cause);
    await this.#written.catch(() => undefined);
    return error;
  }

  async #document(path: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.#tar.add(fileMember(path, content.length), one(content));
  }
}

/** The lines of a section's list, and its members. */
class SectionWriter {
  readonly #name: string;
  readonly #tar: TarWriter;
  readonly #rules = new MemberRules();
  readonly #lines: string[] = [];
  bytes = 0;

  constructor(name: string, tar: TarWriter) {
    this.#name = name;
    this.#tar = tar;
  }

  get members(): number {
    return this.#lines.length;
  }

  list(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  /** Throws {@link BodyCut} for a body that fails; the archive stays valid. */
  async add(member: Member, body: AsyncIterable<Uint8Array> = nothing()): Promise<void> {
    const { path, type, size, target } = member;
    this.#rules.accept(member);
    const hash = createHash("sha256");
    const cut: { error?: unknown } = {};
    await this.#tar.add({ ...member, path: `${this.#name}/${path}` }, filled(body, { size, hash, cut }));
    if (type === "symlink") hash.update(target);
    const line = { path, type, size, sha256: type === "directory" ? "" : hash.digest("hex") } as ListedMember;
    this.#lines.push(JSON.stringify(line));
    this.bytes += size;
    if (cut.error !== undefined) throw new BodyCut(`${path} could not be read to its end`, { cause: cut.error });
  }
}

/** A body of exactly `size` bytes, hashed. */
async function* filled(
  body: AsyncIterable<Uint8Array>,
  { size, hash, cut }: { readonly size: number; readonly hash: Hash; readonly cut: { error?: unknown } },
): AsyncGenerator<Uint8Array> {
  let left = size;
  try {
    for await (const chunk of body) {
      const fits = chunk.subarray(0, left);
      left -= fits.length;
      hash.update(fits);
      yield fits;
    }
  } catch (error) {
    cut.error = error;
  }
  while (left > 0) {
    const zeros = ZEROS.subarray(0, left);
    left -= zeros.length;
    hash.update(zeros);
    yield zeros;
  }
}

/** A file of the daemon's own making. */
export const fileMember = (path: string, size: number): Member => ({
  path,
  type: "file",
  size,
  mode: 0o600,
  modifiedAt: new Date(),
  target: "",
});

export const folderMember = (path: string): Member => ({ ...fileMember(path, 0), type: "directory", mode: 0o700 });

export async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
