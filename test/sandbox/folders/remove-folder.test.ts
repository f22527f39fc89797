import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { removeFolder, removeLeftovers } from "../../../src/sandbox/folders/remove-folder.ts";
import { freshFolder } from "../../helpers/folder.ts";

const PYTHON = "/usr/bin/python3";
const skip = existsSync(PYTHON) ? false : `needs ${PYTHON}`;
const mountSkip = process.getuid?.() === 0 ? false : "needs root to mount a file system";
/** Node.js cannot name a folder below the longest path. */
const NEST = `import os, sys
os.chdir(sys.argv[1])
for level in range(int(sys.argv[2])):
    os.mkdir("d")
    open("file", "w").close()
    os.chdir("d")
`;
/** Exchanges a folder for a link to a folder outside, as fast as it can. */
const EXCHANGE = `import ctypes, os, sys
library = ctypes.CDLL(None)
os.chdir(sys.argv[1])
os.symlink(sys.argv[2], "link")
print("started", flush=True)
while True:
    library.renameat2(-100, b"folder", -100, b"link", 2)
`;

t.test("a folder with hundreds of levels is removed with at most 64 descriptors", { skip }, async (t) => {
  const root = freshFolder(t, "levels");
  mkdirSync(join(root, "engine"));
  spawnSync(PYTHON, ["-c", NEST, join(root, "engine"), "400"]);
  const before = readdirSync("/proc/self/fd").length;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, readdirSync("/proc/self/fd").length)), 1);
  await removeFolder(join(root, "engine"), { aside: join(root, "aside") });
  clearInterval(timer);
  t.same(readdirSync(root), ["aside"]);
  t.same(readdirSync(join(root, "aside")), []);
  t.ok(most > before && most - before <= 64, `${most - before} descriptors`);
  t.equal(readdirSync("/proc/self/fd").length, before, "all are closed");
});

t.test("a folder that is exchanged for a link while it is removed leads nowhere", { skip }, async (t) => {
  const root = freshFolder(t, "exchange");
  const outside = join(root, "outside");
  mkdirSync(outside);
  for (const name of Array.from({ length: 50 }, (_, at) => `file-${at}`)) writeFileSync(join(outside, name), "kept");
  for (let time = 0; time < 4; time++) {
    const engine = join(root, "engine");
    for (let at = 0; at < 100; at++) mkdirSync(join(engine, "folder", `inner-${at}`), { recursive: true });
    const attack = spawn(PYTHON, ["-c", EXCHANGE, engine, outside], { stdio: ["ignore", "pipe", "inherit"] });
    await once(attack.stdout, "data");
    await removeFolder(engine, { aside: join(root, "aside") });
    attack.kill("SIGKILL");
    await once(attack, "exit");
    t.notOk(existsSync(engine));
  }
  t.equal(readdirSync(outside).length, 50, "nothing outside is removed");
});

t.test("a removal that takes too long ends, and leaves the folder where the next one finds it", async (t) => {
  const root = freshFolder(t, "late");
  const engine = join(root, "engine");
  mkdirSync(join(engine, "folder"), { recursive: true });
  await t.rejects(removeFolder(engine, { aside: join(root, "aside"), timeoutMs: 0 }), { code: "ETIMEDOUT" });
  t.ok(existsSync(join(engine, "folder")));
  t.same(readdirSync(join(root, "aside")), []);
  await removeFolder(engine, { aside: join(root, "aside") });
  t.notOk(existsSync(engine));
});

t.test("a folder is removed from a full disk", { skip: mountSkip }, async (t) => {
  const disk = freshFolder(t, "full");
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,nr_inodes=20", "tmpfs", disk]);
  t.teardown(() => execFileSync("umount", ["-l", disk]));
  const engine = join(disk, "engine");
  mkdirSync(engine);
  const fill = () => {
    for (let file = 0; file < 20; file++) writeFileSync(join(engine, String(file)), "");
  };
  t.throws(fill, { code: "ENOSPC" });
  await removeFolder(engine, { aside: join(disk, "aside") });
  t.same(readdirSync(disk), []);
});

t.test("links are removed, not followed, and hard links keep their other name", async (t) => {
  const root = freshFolder(t, "links");
  mkdirSync(join(root, "outside"));
  writeFileSync(join(root, "outside/file"), "kept");
  mkdirSync(join(root, "engine"));
  symlinkSync(join(root, "outside"), join(root, "engine/link"));
  linkSync(join(root, "outside/file"), join(root, "engine/hard"));
  symlinkSync(join(root, "engine"), join(root, "link"));
  await removeFolder(join(root, "link"), { aside: join(root, "aside") });
  t.ok(existsSync(join(root, "engine/hard")));
  await removeFolder(join(root, "engine"), { aside: join(root, "aside") });
  t.equal(readFileSync(join(root, "outside/file"), "utf8"), "kept");
  t.same(readdirSync(root).sort(), ["aside", "outside"]);
});

t.test("leftovers of an interrupted removal are removed later, and nothing else", async (t) => {
  const aside = join(freshFolder(t, "leftovers"), "aside");
  mkdirSync(join(aside, "removed-abcdef/0/folder"), { recursive: true });
  mkdirSync(join(aside, "other"));
  await removeLeftovers({ aside });
  t.same(readdirSync(aside), ["other"]);
  await t.resolves(removeLeftovers({ aside: join(aside, "missing") }));
});

t.test("an ordinary user removes folders without permissions, however deep", { skip }, async (t) => {
  const root = freshFolder(t, "closed");
  chmodSync(root, 0o777);
  const program = `
    import { mkdirSync, chmodSync, writeFileSync, existsSync } from "node:fs";
    import { removeFolder } from ${JSON.stringify(join(import.meta.dirname, "../../../src/sandbox/folders/remove-folder.ts"))};
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const root = ${JSON.stringify(root)};
    let path = root + "/engine";
    const all = [];
    for (let depth = 0; depth < 120; depth++) { mkdirSync(path); writeFileSync(path + "/f", ""); all.push(path); path += "/d"; }
    for (const one of all.reverse()) chmodSync(one, [0, 0o500, 0o300, 0o400][one.length % 4]);
    await removeFolder(root + "/engine", { aside: root + "/aside" });
    console.log(existsSync(root + "/engine"));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  t.equal(stdout, "false\n", stderr);
});
