import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import {
  type Entry,
  ENGINE,
  HEADER,
  SECTION,
  file,
  link,
  pathsOf,
  writeArchive,
  writeRaw,
} from "../helpers/archives.ts";

const refused = (t: Test, source: string | Buffer, message: RegExp, passphrase: string | null = null) =>
  t.rejects(pathsOf(source, passphrase), { name: "InvalidBackup", message });

const passphrase = "a passphrase";
/** Made once: to derive a key takes half a second. */
const encrypted = readFileSync(await writeArchive(t, { passphrase }));

t.test("an archive is read as it was written, encrypted or not", async (t) => {
  const all = ["records/products", "records/products/000001.jsonl"].concat(
    ["engine.db", "workspace", "workspace/a", "workspace/b"].map((path) => `${SECTION}/${path}`),
  );
  t.same(await pathsOf(await writeArchive(t)), all);
  t.same(await pathsOf(encrypted, passphrase), all);
});

t.test("an archive that is cut off anywhere is refused", async (t) => {
  const whole = readFileSync(await writeArchive(t));
  for (let length = 0; length < whole.length; length += 31)
    if (!(await isRefused(whole.subarray(0, length)))) t.fail(`${length} bytes`);
  await refused(t, whole.subarray(0, -1), /incomplete/);
});

t.test("an archive with a changed bit is refused, wherever it is", async (t) => {
  const whole = readFileSync(await writeArchive(t));
  const plain = gunzipSync(whole);
  // Bytes 3 to 9 of a gzip file are its time and system, which nobody reads.
  for (let at = 10; at < whole.length; at += 13) {
    const changed = withBit(whole, at);
    // Some bits fill a block of gzip up to its next byte.
    if (!(await isRefused(changed)) && !gunzipSync(changed).equals(plain)) t.fail(`byte ${at}`);
  }
});

t.test("an encrypted archive that is changed or cut off is refused before a byte of it is used", async (t) => {
  const whole = encrypted;
  await refused(t, withBit(whole, 0), /not a backup/, passphrase);
  for (const at of [30, whole.length - 1]) await refused(t, withBit(whole, at), /passphrase is wrong, or/, passphrase);
  for (const length of [20, 41, whole.length - 1])
    await t.rejects(pathsOf(whole.subarray(0, length), passphrase), { name: "InvalidBackup" }, `${length} bytes`);
});

t.test("a changed byte of a member is named, also where the checksums of gzip are right", async (t) => {
  const tar = gunzipSync(readFileSync(await writeArchive(t)));
  tar.write("CONTENT", tar.indexOf("content"));
  await refused(t, gzipSync(tar), /member "workspace\/a" differs from the list/);
});

t.test("something else than a backup is refused by name", async (t) => {
  await refused(t, Buffer.from("no archive at all"), /not a backup of orchd/);
  await refused(t, Buffer.alloc(0), /not a backup of orchd/);
  await refused(t, gzipSync(Buffer.alloc(2048)), /not a backup of orchd: the archive is empty/);
  const foreign = gunzipSync(readFileSync(await writeArchive(t)));
  foreign.write("someone-else.json ", 0);
  await t.rejects(pathsOf(gzipSync(foreign)), { name: "InvalidBackup" });
});

t.test("an archive of a newer format is refused before its members", async (t) => {
  const newer = await writeArchive(t, { header: { ...HEADER, format: 2 } });
  await refused(t, newer, /format 2 of a newer orchd \(9\.9\.9\)/);
});

t.test("a wrong passphrase, and none, is refused", async (t) => {
  await refused(t, encrypted, /encrypted; set ORCH_BACKUP_PASSPHRASE/);
  await refused(t, encrypted, /passphrase is wrong/, "another one");
});

const inEngine = (...entries: readonly Entry[]): Entry[] =>
  entries.map(([member, content]) => [{ ...member, path: `${SECTION}/${member.path}` }, content]);

const HOSTILE: Readonly<Record<string, readonly [readonly Entry[], RegExp]>> = {
  "a path that leaves its section": [
    inEngine(file("../../../etc/cron.d/x", "")),
    /belongs to no section|without empty/,
  ],
  "a path with a dot": [inEngine(file("./x", "")), /without empty, \. or \.\. parts/],
  "an absolute path": [[file("/etc/passwd", "")], /belongs to no section/],
  "a path outside of the sections": [[file("admin-key", "")], /belongs to no section/],
  "an engine's id that is a path": [[file("engines/../x", "")], /belongs to no section/],
  "a file below a link": [inEngine(link("w", "/etc"), file("w/passwd", "")), /"w\/passwd": expected its folder before/],
  "a file below a file": [inEngine(file("w", ""), file("w/x", "")), /expected its folder before/],
  "a file without its folder": [inEngine(file("w/x", "")), /expected its folder before/],
  "a file twice": [inEngine(file("a", "1"), file("a", "2")), /"a": it occurs twice/],
  "a link in the place of a file": [inEngine(file("a", "1"), link("a", "/etc")), /"a": it occurs twice/],
  "a link without a target": [inEngine(link("a", "")), /expected a target/],
  "a name that is too long": [inEngine(file("n".repeat(256), "")), /names of at most 255 bytes/],
  "a path that is too long": [inEngine(file(`${"n/".repeat(2000)}x`, "")), /path of at most 3500/],
  "sections that interleave": [
    [...inEngine(file("a", "")), file(`engines/${ENGINE.replace(/1$/, "2")}/a`, "")],
    /before the end of engines/,
  ],
  "no manifest": [[], /incomplete: it has no manifest/],
};

for (const [what, [entries, message]] of Object.entries(HOSTILE)) {
  t.test(`an archive with ${what} is refused`, async (t) => {
    await refused(t, await writeRaw(t, entries), message);
  });
}

t.test("a section after its list, and a member after the manifest, is refused", async (t) => {
  const list = `${JSON.stringify({ path: "a", type: "file", size: 0, sha256: hash("") })}\n`;
  const section = [...inEngine(file("a", "")), file(`lists/${SECTION}.jsonl`, list)];
  await refused(t, await writeRaw(t, [...section, ...inEngine(file("b", ""))]), /after the end of engines/);
  const sections = [{ name: SECTION, members: 1, bytes: 0, sha256: hash(list), incomplete: null }];
  const manifest = file("manifest.json", JSON.stringify({ sections, rows: {}, destroyed: [] }));
  t.same(await pathsOf(await writeRaw(t, [...section, manifest])), [`${SECTION}/a`]);
  await refused(t, await writeRaw(t, [...section, manifest, file("keys/x", "")]), /after the manifest/);
  const fewer = file("manifest.json", JSON.stringify({ sections: [], rows: {}, destroyed: [] }));
  await refused(t, await writeRaw(t, [...section, fewer]), /not in the manifest/);
  await refused(t, await writeRaw(t, [manifest]), /differs from the manifest/);
});

t.test("hard links, devices and pipes are refused", async (t) => {
  for (const [type, code] of Object.entries({ link: "1", device: "3", pipe: "6" })) {
    const tar = gunzipSync(readFileSync(await writeRaw(t, inEngine(file("a", "")))));
    const at = tar.indexOf(`${SECTION}/a`);
    tar.write(code, at + 156);
    rewriteChecksum(tar, at);
    await refused(t, gzipSync(tar), /"a": expected a file, a folder or a symbolic link/);
    t.pass(type);
  }
});

t.test("a member that claims to be larger than it is, or than any file, is refused", async (t) => {
  for (const size of ["77777777777", "00000010000"]) {
    const tar = gunzipSync(readFileSync(await writeRaw(t, inEngine(file("a", "")))));
    const at = tar.indexOf(`${SECTION}/a`);
    tar.write(size, at + 124);
    rewriteChecksum(tar, at);
    await refused(t, gzipSync(tar), /incomplete|too large/);
  }
});

t.test("bytes after the archive are refused", async (t) => {
  const path = await writeArchive(t);
  writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from("more")]));
  await t.rejects(pathsOf(path), { name: "InvalidBackup" });
});

const isRefused = (source: Buffer): Promise<boolean> =>
  pathsOf(source).then(
    () => false,
    (error: Error) => error.name === "InvalidBackup",
  );

function withBit(whole: Buffer, at: number): Buffer {
  const changed = Buffer.from(whole);
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
  return changed;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

function rewriteChecksum(tar: Buffer, at: number): void {
  tar.fill(" ", at + 148, at + 156);
  const sum = tar.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, at + 148);
}
