import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import t from "tap";
import { listWorkspace } from "../../../src/engine/checkpoints/workspace-listing.ts";
import { writeFile as writeTool } from "../../../src/engine/tools/write-file.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { checkpointBench } from "../../helpers/checkpoints.ts";

const writeFile = writeTool as unknown as Tool;

t.test("a folder that became a link is not restored through", async (t) => {
  const bench = checkpointBench(t);
  const outside = join(bench.dataDir, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "theirs");
  mkdirSync(join(bench.workspaceDir, "sub"));
  writeFileSync(join(bench.workspaceDir, "sub/a.txt"), "mine");
  const start = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "sub/a.txt", content: "changed" });
  await bench.run(writeFile, { path: "sub/new.txt", content: "changed" });
  renameSync(join(bench.workspaceDir, "sub"), join(bench.workspaceDir, "moved"));
  symlinkSync(outside, join(bench.workspaceDir, "sub"));
  writeFileSync(join(outside, "new.txt"), "theirs");
  const plan = await bench.plan(start);
  t.strictSame(plan.restorable, []);
  t.equal(plan.changedByOthers.length, 2);
  t.match(await bench.restore(plan), [{ reason: /ELOOP|ENOTDIR/ }, { reason: /ELOOP|ENOTDIR/ }]);
  t.strictSame(readdirSync(outside).toSorted(), ["a.txt", "new.txt"]);
  t.equal(readFileSync(join(outside, "a.txt"), "utf8"), "theirs");
});

/** Exchanges a folder for a link to one outside, again and again. */
const SWAP = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const { workspaceDir, outside } = require("node:worker_threads").workerData;
const [sub, aside] = ["sub", "aside"].map((name) => workspaceDir + "/" + name);
for (;;) {
  try {
    renameSync(sub, aside);
    symlinkSync(outside, sub);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random());
    unlinkSync(sub);
    renameSync(aside, sub);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random());
  } catch {}
}`;

t.test("a race for the folder of a restored file never writes, removes or lists outside", async (t) => {
  const bench = checkpointBench(t);
  const outside = join(bench.dataDir, "outside");
  for (const folder of [outside, join(bench.workspaceDir, "sub")]) mkdirSync(folder);
  writeFileSync(join(outside, "a.txt"), "theirs");
  writeFileSync(join(outside, "new.txt"), "theirs");
  writeFileSync(join(outside, "unseen.txt"), "theirs");
  const start = bench.message();
  bench.message();
  writeFileSync(join(bench.workspaceDir, "sub/a.txt"), "mine");
  const swapping = new Worker(SWAP, { eval: true, workerData: { workspaceDir: bench.workspaceDir, outside } });
  t.teardown(() => swapping.terminate());
  let [restored, failed] = [0, 0];
  for (let round = 0; round < 60 && (restored < 5 || failed < 5); round++) {
    await bench.run(writeFile, { path: "sub/a.txt", content: `${round}` }).catch(() => undefined);
    await bench.run(writeFile, { path: "sub/new.txt", content: `${round}` }).catch(() => undefined);
    const failures = await bench.restore(await bench.plan(start));
    if (failures.length > 0) failed++;
    else restored++;
    const listing = await listWorkspace(bench.workspaceDir);
    if (listing.kind === "listed") t.notOk([...listing.entries.keys()].some((path) => path.endsWith("unseen.txt")));
  }
  t.ok(restored > 0, `${restored} restored, ${failed} refused`);
  await swapping.terminate();
  t.strictSame(readdirSync(outside).toSorted(), ["a.txt", "new.txt", "unseen.txt"]);
  for (const name of readdirSync(outside)) t.equal(readFileSync(join(outside, name), "utf8"), "theirs");
});

t.test("a file that became a link, a pipe or a folder is replaced itself, never what it leads to", async (t) => {
  const bench = checkpointBench(t);
  const at = (name: string) => join(bench.workspaceDir, name);
  const secret = join(bench.dataDir, "secret");
  writeFileSync(secret, "theirs");
  const names = ["link", "pipe", "folder"];
  for (const name of names) writeFileSync(at(name), "before");
  const start = bench.message();
  bench.message();
  for (const path of [...names, "new-link"]) await bench.run(writeFile, { path, content: "changed" });
  for (const name of [...names, "new-link"]) rmSync(at(name));
  symlinkSync(secret, at("link"));
  symlinkSync(secret, at("new-link"));
  execFileSync("mkfifo", [at("pipe")]);
  mkdirSync(at("folder"));
  const plan = await bench.plan(start);
  t.strictSame(plan.restorable, []);
  t.match(plan.notCaptured, [{ path: "folder", reason: "not_a_file" }]);
  t.strictSame(await bench.restore(plan), []);
  for (const name of ["link", "pipe"]) t.equal(readFileSync(at(name), "utf8"), "before");
  t.ok(lstatSync(at("pipe")).isFile());
  t.notOk(existsSync(at("new-link")));
  t.equal(readFileSync(secret, "utf8"), "theirs");
  const contents = readdirSync(join(bench.dataDir, "checkpoints"));
  t.notOk(
    contents.some((name) => readFileSync(join(bench.dataDir, "checkpoints", name), "utf8") === "theirs"),
    "the content behind a link is not captured",
  );
});

t.test("a command's links, pipes and sockets are compared without opening them", async (t) => {
  const bench = checkpointBench(t);
  const start = bench.message();
  bench.message();
  await bench.shell(
    "mkfifo pipe; ln -s /etc/passwd link; ln -s .. up; ln -s loop loop; mkdir -p a/b; ln -s ../../a a/b/c",
  );
  const plan = await bench.plan(start);
  t.strictSame(plan.restorable.map(({ path }) => path).toSorted(), ["a", "a/b", "a/b/c", "link", "loop", "pipe", "up"]);
  t.strictSame(await bench.restore(plan), []);
  t.strictSame(readdirSync(bench.workspaceDir), []);
});

t.test("a sparse giant is not copied", async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "giant");
  writeFileSync(file, "");
  truncateSync(file, 2 ** 40);
  const start = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "giant", content: "small" });
  t.match((await bench.plan(start)).notCaptured, [{ path: "giant", reason: "too_large" }]);
});

t.test("a file that may not be read is replaced without its content", { skip: process.getuid?.() === 0 }, async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "closed");
  writeFileSync(file, "x");
  chmodSync(file, 0);
  const start = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "closed", content: "y" });
  t.match((await bench.plan(start)).notCaptured, [{ path: "closed", reason: "unreadable" }]);
});

t.test("a folder that may not be read makes a comparison incomplete", { skip: process.getuid?.() === 0 }, async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  await bench.shell("mkdir closed && chmod 000 closed");
  t.match(bench.incomplete(), [{ reason: "unreadable" }]);
  chmodSync(join(bench.workspaceDir, "closed"), 0o700);
});

t.test("modes 000 of files are restored, and a name that is not UTF-8 makes a comparison incomplete", async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "closed");
  bench.message();
  await bench.run(writeFile, { path: "closed", content: "y" });
  const middle = bench.message();
  bench.message();
  await bench.shell("chmod 000 closed");
  t.strictSame(await bench.restore(await bench.plan(middle)), []);
  t.equal(lstatSync(file).mode & 0o777, 0o644 & ~process.umask() & 0o777);
  await bench.shell(String.raw`printf x > "$(printf 'a\377')"`);
  t.match(bench.incomplete(), [{ reason: "unreadable" }]);
});

t.test("a deep tree is too large to compare", async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  await bench.shell("for i in $(seq 150); do mkdir d; cd d; done");
  t.match(bench.incomplete(), [{ reason: "too_large" }]);
});
