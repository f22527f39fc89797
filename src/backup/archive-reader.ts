import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { decoded } from "./decoded-stream.ts";
import {
  type BackupHeader,
  type BackupManifest,
  FORMAT,
  HEADER_FILE,
  type ListedSection,
  MANIFEST_FILE,
  backupHeader,
  backupManifest,
  listFile,
  sectionOf,
} from "./format.ts";
import { InvalidBackup } from "./invalid-backup.ts";
import { OpenSection, firstDifference } from "./open-section.ts";
import { type Member, readTar } from "../shared/tar.ts";

const MAX_HEADER_BYTES = 65_536;
/** Room for the lists of {@link MemberRules}'s members and of a hundred thousand engines. */
const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;

/** Called for each member. `path` is relative to the section. What it does not read of the body is skipped and hashed. */
export interface ArchiveVisitor {
  header?(header: BackupHeader): Promise<void> | void;
  member(section: string, member: Member, body: AsyncIterable<Uint8Array>): Promise<void>;
  /** All members of the section are read, and are those of its list. */
  sectionEnd?(section: string): Promise<void>;
}

interface ReadArchive {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
}

/** Reads a whole archive and checks every hash. Throws {@link InvalidBackup} that says what is wrong and where. */
export async function readArchive(
  source: Readable,
  { passphrase, visitor }: { readonly passphrase: string | null; readonly visitor: ArchiveVisitor },
): Promise<ReadArchive> {
  const reading = new ArchiveReading(visitor);
  const plain = decoded(source, passphrase);
  try {
    for await (const { member, body } of readTar(plain)) await reading.take(member, body);
    return reading.end();
  } catch (error) {
    throw explain(error, reading);
  } finally {
    plain.destroy();
    source.destroy();
  }
}

/** The progress of one reading: header, sections with their lists, manifest. */
class ArchiveReading {
  readonly #visitor: ArchiveVisitor;
  readonly #sections: ListedSection[] = [];
  readonly #names = new Set<string>();
  #header: BackupHeader | null = null;
  #manifest: BackupManifest | null = null;
  #section: OpenSection | null = null;
  /** For the place of an error. */
  last: string | null = null;

  constructor(visitor: ArchiveVisitor) {
    this.#visitor = visitor;
  }

  async take(member: Member, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { path } = member;
    if (this.#header === null) return this.#takeHeader(member, body);
    this.last = path;
    if (this.#manifest !== null) throw new InvalidBackup(`member ${quoted(path)} after the manifest`);
    if (path === MANIFEST_FILE) return this.#takeManifest(member, body);
    if (this.#section !== null && path === listFile(this.#section.name)) return this.#takeList(member, body);
    await this.#takeMember(member, body);
  }

  end(): ReadArchive {
    if (this.#header === null) throw new InvalidBackup("not a backup of orchd: the archive is empty");
    if (this.#manifest === null) throw new InvalidBackup("the archive is incomplete: it has no manifest");
    return { header: this.#header, manifest: this.#manifest };
  }

  async #takeHeader({ path, size }: Member, body: AsyncIterable<Uint8Array>): Promise<void> {
    if (path !== HEADER_FILE || size > MAX_HEADER_BYTES)
      throw new InvalidBackup(`not a backup of orchd: its first member is ${quoted(path)}, expected ${HEADER_FILE}`);
    const header = parse(z.looseObject({ format: z.int() }), HEADER_FILE, await text(body));
    if (header.format > FORMAT)
      throw new InvalidBackup(
        `the archive has the format ${header.format} of a newer orchd (${String(header["version"])}); this one reads format ${FORMAT}`,
      );
    this.#header = parse(backupHeader, HEADER_FILE, JSON.stringify(header));
    this.last = HEADER_FILE;
    await this.#visitor.header?.(this.#header);
  }

  async #takeMember(member: Member, body: AsyncIterable<Uint8Array>): Promise<void> {
    const name = sectionOf(member.path);
    if (name === null) throw new InvalidBackup(`member ${quoted(member.path)} belongs to no section of a backup`);
    if (this.#section === null) this.#section = new OpenSection(name);
    else if (this.#section.name !== name)
      throw new InvalidBackup(`member ${quoted(member.path)} before the end of ${this.#section.name}`);
    if (this.#names.has(name)) throw new InvalidBackup(`member ${quoted(member.path)} after the end of ${name}`);
    const relative = { ...member, path: member.path.slice(name.length + 1) };
    const hashed = this.#section.accept(relative, body);
    await this.#visitor.member(name, relative, hashed.body);
    await hashed.finish();
  }

  async #takeList(member: Member, body: AsyncIterable<Uint8Array>): Promise<void> {
    const section = this.#section;
    if (section === null) return;
    const found = section.list();
    const list = await documentText(member, body);
    if (list !== found) throw new InvalidBackup(`${section.name}: ${firstDifference(list, found)}`);
    const sha256 = createHash("sha256").update(found).digest("hex");
    const { name, members, bytes } = section;
    this.#sections.push({ name, members, bytes, sha256, incomplete: null });
    this.#names.add(name);
    this.#section = null;
    await this.#visitor.sectionEnd?.(name);
  }

  async #takeManifest(member: Member, body: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#section !== null) throw new InvalidBackup(`${this.#section.name} has no list`);
    const manifest = parse(backupManifest, MANIFEST_FILE, await documentText(member, body));
    const expected = manifest.sections.map((section) => ({ ...section, incomplete: null }));
    const differs = expected.findIndex((section, at) => JSON.stringify(section) !== JSON.stringify(this.#sections[at]));
    if (differs !== -1) throw new InvalidBackup(`${expected[differs]?.name ?? ""}: it differs from the manifest`);
    if (expected.length !== this.#sections.length)
      throw new InvalidBackup(`${this.#sections[expected.length]?.name ?? ""}: it is not in the manifest`);
    this.#manifest = manifest;
  }
}

function documentText({ path, size }: Member, body: AsyncIterable<Uint8Array>): Promise<string> {
  if (size > MAX_DOCUMENT_BYTES) throw new InvalidBackup(`member ${quoted(path)} is too large`);
  return text(body);
}

function parse<T extends z.ZodMiniType>(schema: T, path: string, json: string): z.output<T> {
  try {
    return z.parse(schema, JSON.parse(json));
  } catch (error) {
    throw new InvalidBackup(`${path}: expected the JSON of a backup of orchd`, { cause: error });
  }
}

const quoted = (path: string): string => JSON.stringify(path.slice(0, 300));

/** Errors of the tar reader and of zlib name no place. */
function explain(error: unknown, { last }: ArchiveReading): unknown {
  if (error instanceof InvalidBackup) return error;
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const isFormat = code.startsWith("Z_") || (code === "" && /tar|EOF|archive/i.test(error.message));
  if (!isFormat) return error;
  if (last === null)
    return new InvalidBackup("not a backup of orchd: expected a gzipped tar archive", { cause: error });
  const place = `after its member ${quoted(last)}`;
  const reason =
    code === "Z_BUF_ERROR" || /truncated/.test(error.message)
      ? `the archive is incomplete: it ends ${place}`
      : `the archive is damaged ${place} (${error.message})`;
  return new InvalidBackup(reason, { cause: error });
}
