import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { CATALOG_LIMITS } from "../../../src/contract/orchestrator/catalog-limits.ts";
import { unpackArchive } from "../../../src/engine/catalog-check/unpack-archive.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { type Entry, rawTar } from "./raw-tar.ts";

async function unpack(t: Test, archive: Buffer) {
  const folder = freshFolder(t);
  const unpacked = await unpackArchive(Readable.from([archive]), folder);
  const faults = unpacked.faults.map(({ path, message }) => `${path}: ${message}`);
  return { folder, faults, paths: unpacked.files.map(({ path }) => path) };
}
const unpackEntries = (t: Test, entries: readonly Entry[]) => unpack(t, gzipSync(rawTar(entries)));

t.test("files and folders are unpacked with their modes", async (t) => {
  const { folder, faults, paths } = await unpackEntries(t, [
    { name: "./", type: "5" },
    { name: "./agents/", type: "5" },
    { name: "./agents/a.md", content: "A" },
    { name: "skills/s/run.sh", content: "#!/bin/sh", mode: 0o4777 },
    { name: "empty" },
    { name: "agents", type: "5" },
  ]);
  t.same(faults, []);
  t.same(paths, ["agents/a.md", "skills/s/run.sh", "empty"]);
  t.equal(readFileSync(join(folder, "agents/a.md"), "utf8"), "A");
  t.equal(statSync(join(folder, "agents/a.md")).mode & 0o7777, 0o644);
  t.equal(statSync(join(folder, "skills/s/run.sh")).mode & 0o7777, 0o755);
});

t.test("each entry that is no file or folder at a path of its own is a fault", async (t) => {
  const long = "d/".repeat(10);
  const { folder, faults, paths } = await unpackEntries(t, [
    { name: "good.md", content: "good" },
    { name: "../out.md", content: "x" },
    { name: "a/../../out.md", content: "x" },
    { name: "/etc/out.md", content: "x" },
    { name: "./../out.md", content: "x" },
    { name: "link", type: "2", target: "/etc/passwd" },
    { name: "hard", type: "1", target: "good.md" },
    { name: "device", type: "3" },
    { name: "fifo", type: "6" },
    { name: "good.md", content: "again" },
    { name: "good.md/below", content: "x" },
    { name: "a//b", content: "x" },
    { name: "back\\slash", content: "x" },
    { name: "line\nbreak", content: "x" },
    { name: "caf\u00e9.md", content: "x" },
    { name: `${long}deep`, content: "x" },
    { name: "folder/file", content: "x" },
    { name: "folder", content: "x" },
  ]);
  t.same(
    faults.map((fault) => fault.replaceAll("\n", " ")),
    [
      "../out.md: expected a path without empty, . or .. parts",
      "a/../../out.md: expected a path without empty, . or .. parts",
      "/etc/out.md: expected a relative path",
      "./../out.md: expected a path without empty, . or .. parts",
      "link: expected a file or a folder, got a link",
      "hard: expected a file or a folder, got a hard link, a device or another kind of entry",
      "device: expected a file or a folder, got a hard link, a device or another kind of entry",
      "fifo: expected a file or a folder, got a hard link, a device or another kind of entry",
      "good.md: the path occurs twice in the archive",
      "good.md/below: good.md is already a file",
      "a//b: expected a path without empty, . or .. parts",
      "back\\slash: expected a path in UTF-8 without control characters and backslashes",
      "line break: expected a path in UTF-8 without control characters and backslashes",
      `${long}deep: expected at most 10 levels`,
      "folder: the path occurs twice in the archive",
    ],
  );
  t.same(paths, ["good.md", "caf\u00e9.md", "folder/file"]);
  t.same(readdirSync(folder).toSorted(), ["café.md", "folder", "good.md"]);
});

t.test("an archive that is torn, or is none, has one fault", async (t) => {
  const whole = rawTar([{ name: "a.md", content: "A".repeat(5000) }]);
  const wrongSum = Buffer.from(whole);
  wrongSum[0] = 0x62;
  const cases: Readonly<Record<string, Buffer>> = {
    "an empty body": Buffer.alloc(0),
    "no gzip": whole,
    "no tar": gzipSync("nothing of a tar, but longer than nothing".repeat(50)),
    "a cut gzip": gzipSync(whole).subarray(0, -12),
    "a cut tar": gzipSync(whole.subarray(0, 3000)),
    "a wrong checksum": gzipSync(wrongSum),
    "a size that is none": gzipSync(rawTar([{ name: "a", size: "zzzzzzzzzzz" }])),
    "a negative size": gzipSync(rawTar([{ name: "a", size: "-0000000001" }])),
  };
  for (const [name, archive] of Object.entries(cases)) {
    const { faults, folder } = await unpack(t, archive);
    t.equal(faults.length, 1, `${name}: ${faults.join("; ")}`);
    t.match(faults[0], /^\(archive\): /, name);
    t.ok(readdirSync(folder).every((file) => file === "a.md" || file === "a"));
  }
});

t.test("an archive cannot be larger than its limits", async (t) => {
  const bomb = gzipSync(rawTar([{ name: "bomb", content: Buffer.alloc(20 * 1024 * 1024) }]));
  t.ok(bomb.length < 64 * 1024);
  t.match((await unpack(t, bomb)).faults, [/expected at most 100 unpacked bytes for each compressed one/]);
  const noise = Buffer.alloc(1024 * 1024, "0123456789abcdef".repeat(7).concat("some text to keep the ratio down"));
  const many = Array.from({ length: 5000 }, (_, at): Entry => ({ name: `f${at}` }));
  t.match((await unpackEntries(t, many)).faults, [/expected at most 2000 files and folders/]);
  const large = Array.from({ length: 42 }, (_, at) => ({ name: `large${at}`, content: noise }));
  t.match((await unpack(t, gzipSync(rawTar(large), { level: 0 }))).faults, [
    new RegExp(`expected at most ${CATALOG_LIMITS.bytes} bytes unpacked`),
  ]);
});

t.test("long names are read, and bounded", async (t) => {
  const name = `skills/${"n".repeat(120)}/SKILL.md`;
  const gnu = await unpackEntries(t, [
    { name: "././@LongLink", type: "L", content: `${name}\0` },
    { name: name.slice(0, 100), content: "x" },
  ]);
  t.same([gnu.paths, gnu.faults], [[name], []]);
  const record = (text: string) => {
    const length = text.length + 2;
    const digits = String(length + String(length).length - 0).length;
    return `${text.length + 2 + digits} ${text}\n`;
  };
  const pax = await unpackEntries(t, [
    { name: "PaxHeader", type: "x", content: record(`path=${name}`) },
    { name: "short", content: "x" },
  ]);
  t.same([pax.paths, pax.faults], [[name], []]);
  const tooLong = `d/${"n".repeat(300)}`;
  const { faults } = await unpackEntries(t, [
    { name: "././@LongLink", type: "L", content: `${tooLong}\0` },
    { name: "x", content: "x" },
  ]);
  t.match(faults, [/expected at most 255 bytes/]);
  const escape = await unpackEntries(t, [
    { name: "PaxHeader", type: "x", content: record("path=../../etc/passwd") },
    { name: "short", content: "x" },
  ]);
  t.match(escape.faults, [/without empty, \. or \.\. parts/]);
});
