import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { ArchiveWriter } from "../../../../src/backup/archive-writer.ts";
import { storeProblem } from "../../../../src/backup/check-store.ts";
import { InvalidBackup } from "../../../../src/backup/invalid-backup.ts";
import { readFolder } from "../../../../src/orchestrator/fleet/folders/read-folder.ts";
import { listProcesses, startArguments } from "../../../../src/sandbox/processes/process-table.ts";
import { HEADER, SECTION, pathsOf } from "../../../helpers/archives.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { until } from "../../../helpers/until.ts";

const USER = 1_900_012_345;
const isRoot = process.getuid?.() === 0;
const root = resolve(import.meta.dirname, "../../../..");
const reader = {
  nodePath: process.execPath,
  program: join(root, "dist/orchd-folder.cjs"),
  signal: new AbortController().signal,
};

async function read(folder: string, signal = reader.signal) {
  const files = new Map<string, string>();
  const outcome = await readFolder({ ...reader, signal }, folder, async (member, body) => {
    const content = await buffer(body);
    files.set(member.path, member.type === "symlink" ? `-> ${member.target}` : content.toString("latin1"));
  });
  return { files, outcome };
}

function newFolder(t: Test): string {
  const folder = freshFolder(t);
  mkdirSync(join(folder, "workspace"));
  return folder;
}

t.test("a folder is read with its links as links, without its log, locks and temporary files", async (t) => {
  const folder = newFolder(t);
  for (const name of ["engine.log", "engine.log.1", "engine.lock", "engine.db-shm", "workspace/engine.log"])
    writeFileSync(join(folder, name), name);
  for (const name of ["tmp", "cache", "catalog"]) mkdirSync(join(folder, name));
  symlinkSync("/etc", join(folder, "workspace/etc"));
  const { files, outcome } = await read(folder);
  t.same(outcome, { kind: "read", notes: "" });
  t.same([...files.keys()].sort(), ["catalog", "workspace", "workspace/engine.log", "workspace/etc"]);
  t.equal(files.get("workspace/etc"), "-> /etc");
});

t.test("a store that is written meanwhile is copied as of one transaction", async (t) => {
  const folder = newFolder(t);
  const file = join(folder, "engine.db");
  const writer = spawn(
    process.execPath,
    [
      "-e",
      `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 5000 });
      db.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 50; create table a (n, x); create table b (n)");
      for (let n = 1; ; n++) {
        db.exec("begin immediate");
        db.prepare("insert into a values (?, randomblob(2000))").run(n);
        if (n % 7 === 0) db.exec("delete from a where n < " + (n - 200));
        db.prepare("insert into b values (?)").run(n);
        db.exec("commit");
        if (n > 300) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }`,
      file,
    ],
    { stdio: "ignore" },
  );
  t.teardown(() => writer.kill("SIGKILL"));
  const rows = () => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    const { n } = db.prepare("select max(n) as n from b").get() ?? {};
    db.close();
    return Number(n);
  };
  await until("the store has rows", () => {
    try {
      return rows() > 300;
    } catch {
      return false;
    }
  });
  for (let copy = 0; copy < 4; copy++) {
    const before = rows();
    const { files, outcome } = await read(folder);
    t.same(outcome, { kind: "read", notes: "" });
    const copied = join(freshFolder(t), "engine.db");
    writeFileSync(copied, files.get("engine.db") ?? "", "latin1");
    writeFileSync(`${copied}-wal`, files.get("engine.db-wal") ?? "", "latin1");
    t.equal(storeProblem(copied), null);
    const db = new DatabaseSync(copied);
    const found = db.prepare("select (select max(n) from a) as a, max(n) as b, count(*) as all_b from b").get();
    db.close();
    t.ok(found?.["a"] === found?.["b"] && found?.["b"] === found?.["all_b"], JSON.stringify(found));
    t.ok(Number(found?.["b"]) >= before, "nothing that was committed before is missing");
  }
});

t.test("a stopped engine's store is read with the log that it left", async (t) => {
  const folder = newFolder(t);
  const db = new DatabaseSync(join(folder, "engine.db"));
  db.exec("pragma journal_mode = wal; create table a (n); insert into a values (1)");
  const copied = await read(folder);
  t.ok((copied.files.get("engine.db-wal") ?? "").length > 0);
  db.close();
  const { outcome } = await read(folder);
  t.same(outcome, { kind: "read", notes: "" });
});

t.test("a damaged store is copied as it is, and noted", async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, "engine.db"), "not a database, but what is left of one".repeat(100));
  const { files, outcome } = await read(folder);
  t.match(outcome, { kind: "read", notes: /engine\.db.*copied without a snapshot.*not a database/ });
  t.match(files.get("engine.db"), /^not a database/);
});

t.test(
  "what its owner cannot read, and what is not a file, is left out; the rest is read",
  { skip: !isRoot },
  async (t) => {
    const folder = newFolder(t);
    const workspace = join(folder, "workspace");
    writeFileSync(join(workspace, "secret-of-root"), "root's");
    chmodSync(join(workspace, "secret-of-root"), 0o600);
    writeFileSync(join(workspace, "fine"), "fine");
    writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0xff, 0xfe])]), "");
    writeFileSync(join(workspace, "holes"), "");
    truncateSync(join(workspace, "holes"), 2 * 1024 ** 3);
    spawnSync("mkfifo", [join(workspace, "pipe")]);
    for (const path of [folder, workspace]) chownSync(path, USER, USER);
    const { files, outcome } = await read(folder);
    t.same([...files.keys()].sort(), ["workspace", "workspace/fine"]);
    if (outcome.kind !== "read") return t.fail(outcome.kind);
    for (const note of [/secret-of-root": EACCES/, /not UTF-8/, /holes": larger than 1 GiB, and mostly holes/])
      t.match(outcome.notes, note);
    return undefined;
  },
);

t.test("a folder that is missing, and one that nobody may enter, is no error", async (t) => {
  const folder = freshFolder(t);
  t.same((await read(join(folder, "missing"))).outcome, { kind: "missing" });
  writeFileSync(join(folder, "file"), "");
  t.match((await read(join(folder, "file"))).outcome, { kind: "read", notes: /ENOTDIR/ });
});

t.test("a reader that is killed by its user ends the folder, and the archive goes on", async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, "workspace/large"), "");
  truncateSync(join(folder, "workspace/large"), 64 * 1024 * 1024);
  const file = join(freshFolder(t), "archive.tar.gz");
  const archive = new ArchiveWriter(file, { passphrase: null });
  await archive.header(HEADER);
  await archive.section(SECTION, async (add) => {
    const outcome = await readFolder(reader, folder, (member, body) => add(member, killingAt(body, folder)));
    t.match(outcome, { kind: "read", notes: /large could not be read to its end/ });
    return "incomplete";
  });
  t.match(await archive.finish({ rows: {}, destroyed: [] }), { sections: [{ incomplete: "incomplete" }] });
  t.same(await pathsOf(file), [`${SECTION}/workspace`, `${SECTION}/workspace/large`]);
});

/** Kills the reader of a folder after its first bytes. */
async function* killingAt(body: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Uint8Array> {
  let isKilled = false;
  for await (const chunk of body) {
    yield chunk;
    if (isKilled) continue;
    isKilled = true;
    const of = listProcesses().filter(({ pid }) => startArguments(pid).includes(folder));
    for (const { pid } of of) process.kill(pid, "SIGKILL");
  }
}

t.test("errors of the archive's file are thrown, refused members are noted", async (t) => {
  const folder = newFolder(t);
  await t.rejects(
    readFolder(reader, folder, () => Promise.reject(new Error("no space left"))),
    { message: "no space left" },
  );
  const noted = await readFolder(reader, folder, () => Promise.reject(new InvalidBackup("refused")));
  t.match(noted, { kind: "read", notes: "refused" });
});

t.test("a backup that is stopped stops its reader", async (t) => {
  const folder = newFolder(t);
  const stopping = new AbortController();
  stopping.abort(new Error("the daemon stops"));
  await t.rejects(read(folder, stopping.signal), { message: "the daemon stops" });
});
