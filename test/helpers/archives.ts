import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Test } from "tap";
import { readArchive } from "../../src/backup/archive-reader.ts";
import { ArchiveWriter, fileMember, folderMember, one } from "../../src/backup/archive-writer.ts";
import { type BackupHeader, RECORDS, engineSection } from "../../src/backup/format.ts";
import { type Member, TarWriter } from "../../src/shared/tar.ts";

export const ENGINE = "eng_01900000-0000-7000-8000-000000000001";
export const SECTION = engineSection(ENGINE);
export const KNOWN = { schemas: ["0001-first", "0002-second"], tables: ["products", "engines"] };

export const HEADER: BackupHeader = {
  kind: "orchd backup",
  format: 1,
  version: "9.9.9",
  created_at: "2026-11-01T00:00:00.000Z",
  host_id: "host_1",
  schema: "0002-second",
  secret_key_check: "check",
};

export const file = (path: string, content: string): Entry => [fileMember(path, content.length), content];
export const folder = (path: string): Entry => [folderMember(path), ""];
export const link = (path: string, target: string): Entry => [{ ...fileMember(path, 0), type: "symlink", target }, ""];
export type Entry = readonly [Member, string];

/** A sound archive with one engine. Gives its path. */
export async function writeArchive(
  t: Test,
  {
    entries = [file("engine.db", ""), folder("workspace"), file("workspace/a", "content"), link("workspace/b", "/etc")],
    passphrase = null,
    header = HEADER,
  }: { entries?: readonly Entry[]; passphrase?: string | null; header?: BackupHeader } = {},
): Promise<string> {
  const path = join(t.testdir({}), "archive.tar.gz");
  const archive = new ArchiveWriter(path, { passphrase });
  await archive.header(header);
  await archive.section(RECORDS, async (add) => {
    for (const [member, content] of [folder("products"), file("products/000001.jsonl", '{"id":"prd_1"}\n')])
      await add(member, one(Buffer.from(content)));
    return null;
  });
  await archive.section(SECTION, async (add) => {
    for (const [member, content] of entries) await add(member, one(Buffer.from(content)));
    return null;
  });
  await archive.finish({ rows: { products: 1 }, destroyed: [] });
  return path;
}

/** An archive with just these members behind a header. */
export async function writeRaw(t: Test, entries: readonly Entry[]): Promise<string> {
  const path = join(t.testdir({}), "raw.tar.gz");
  const tar = new TarWriter();
  const written = pipeline(tar.stream, createGzip(), createWriteStream(path));
  const header = JSON.stringify(HEADER);
  for (const [member, content] of [file("orchd-backup.json", header), ...entries])
    await tar.add(member, one(Buffer.from(content)));
  tar.finish();
  await written;
  return path;
}

/** The paths of an archive's members. */
export async function pathsOf(source: string | Buffer, passphrase: string | null = null): Promise<string[]> {
  const paths: string[] = [];
  const stream = typeof source === "string" ? createReadStream(source) : Readable.from([source]);
  await readArchive(stream, {
    passphrase,
    visitor: { member: async (section, { path }) => void paths.push(`${section}/${path}`) },
  });
  return paths;
}
