import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import t from "tap";
import { listFiles } from "../../../src/engine/tools/list-files.ts";
import { readFile } from "../../../src/engine/tools/read-file.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { readInWorkspace, writeInWorkspace } from "../../../src/engine/tools/workspace-files.ts";
import { WorkspaceFolder } from "../../../src/engine/tools/workspace-folder.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { until } from "../../helpers/until.ts";
import { toolBench } from "../../helpers/tool-context.ts";

/** Makes a file now small, now larger than is read. */
const RESIZE = `
const { truncateSync } = require("node:fs");
for (;;) for (const size of [1, 64 * 1024 * 1024]) truncateSync(require("node:worker_threads").workerData, size);`;

t.test("a file that grows while it is read is read up to the size that was checked", async (t) => {
  const { workspaceDir } = toolBench(t, { file: "x" });
  const worker = new Worker(RESIZE, { eval: true, workerData: join(workspaceDir, "file") });
  let [small, large] = [0, 0];
  await until("both sizes were met", async () => {
    for (let reads = 0; reads < 50; reads++) {
      const bytes = await readInWorkspace({ workspaceDir, path: "file" }).then(
        (content) => content.bytes.length,
        () => Infinity,
      );
      if (bytes === Infinity) large++;
      else if (bytes > 1) throw new Error(`${bytes} bytes were read`);
      else small++;
    }
    return small > 50 && large > 50;
  }).finally(() => worker.terminate());
  t.ok(small > 50);
});

t.test("a folder replaced by a link after its check is not followed", async (t) => {
  const { workspaceDir, outside } = toolBench(t, { sub: { "a.txt": "mine" } }, { "a.txt": "theirs" });
  const folder = await WorkspaceFolder.open(workspaceDir, join(workspaceDir, "sub"));
  t.teardown(() => folder.close());
  renameSync(join(workspaceDir, "sub"), join(workspaceDir, "moved"));
  symlinkSync(outside, join(workspaceDir, "sub"));
  t.equal(readFileSync(folder.at("a.txt"), "utf8"), "mine", "what is held open is the folder that was checked");
  await t.rejects(WorkspaceFolder.open(workspaceDir, join(workspaceDir, "sub")), { code: /ELOOP|ENOTDIR/ });
});

/** Puts now a folder, now a link to one outside in the same place; what a writer makes there meanwhile is removed. */
const SWAP = `
const { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
const { workspaceDir, outside } = require("node:worker_threads").workerData;
const [swap, made, aside] = ["swap", "made", "aside"].map((name) => workspaceDir + "/" + name);
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random());
for (;;) {
  try {
    for (const path of [swap, made, aside]) rmSync(path, { recursive: true, force: true });
    mkdirSync(made);
    writeFileSync(made + "/a.txt", "mine");
    renameSync(made, swap);
    pause();
    renameSync(swap, aside);
    symlinkSync(outside, swap);
    pause();
  } catch {}
}`;

t.test("a race for the folder of a file never reads or writes outside", async (t) => {
  const { workspaceDir, outside } = toolBench(t, { swap: { "a.txt": "mine" } }, { "a.txt": "theirs" });
  symlinkSync(outside, join(workspaceDir, "evil"));
  const swapping = new Worker(SWAP, { eval: true, workerData: { workspaceDir, outside } });
  t.teardown(() => swapping.terminate());
  const seen = { read: 0, written: 0, refused: 0 };
  const refused = (error: unknown) => {
    if (!(error instanceof ToolFailed)) throw error;
    seen.refused++;
  };
  const enough = () => seen.read > 20 && seen.written > 20 && seen.refused > 20;
  for (let round = 0; round < 20_000 && !enough(); round++) {
    await readInWorkspace({ workspaceDir, path: "swap/a.txt" }).then(({ bytes }) => {
      seen.read++;
      if (bytes.toString() !== "mine") t.fail(`read ${bytes.toString()}`);
    }, refused);
    await writeInWorkspace({ workspaceDir, path: "swap/a.txt" }, "mine").then(() => seen.written++, refused);
  }
  // Before the folder is cleared away under it.
  await swapping.terminate();
  t.comment(JSON.stringify(seen));
  t.equal(readFileSync(join(outside, "a.txt"), "utf8"), "theirs");
});

t.test("paths over /proc, sockets, devices and pipes are refused", async (t) => {
  const { run, workspaceDir } = toolBench(t, {});
  symlinkSync("/proc/self/root", join(workspaceDir, "root"));
  symlinkSync("/proc/self/fd", join(workspaceDir, "fds"));
  symlinkSync("/dev/zero", join(workspaceDir, "zero"));
  execFileSync("mkfifo", [join(workspaceDir, "pipe")]);
  for (const path of [
    "/proc/self/root/etc/hostname",
    "root/etc/hostname",
    "fds/0",
    "zero",
    "/proc/self/environ",
    "pipe",
  ]) {
    t.match((await run(readFile, { path })).error, /leads out|not a file|cannot be/, path);
    t.match((await run(writeFile, { path, content: "x" })).error, /leads out|not a file|cannot be/, path);
  }
  for (const path of ["root/etc", "fds", "root"]) t.match((await run(listFiles, { path })).error, /leads out/, path);
  t.same((await run(listFiles, { depth: 5 })).output, {
    path: ".",
    entries: ["fds", "pipe", "root", "zero"],
    truncated: false,
  });
});

t.test("spilled output does not follow a link out of the workspace", async (t) => {
  const { run, workspaceDir, outside } = toolBench(t, { "long.txt": "x".repeat(60_000) });
  symlinkSync(outside, join(workspaceDir, ".orch"));
  t.match((await run(readFile, { path: "long.txt" })).error, /leads out/);
  t.notOk(existsSync(join(outside, "outputs")));
});

t.test("a long string of an object is spilled alone", async (t) => {
  const { run, workspaceDir } = toolBench(t, {});
  const tool = { ...readFile, run: async () => ({ code: 1, text: `a\n${"x".repeat(60_000)}`, list: [1] }) };
  const { output } = (await run(tool, { path: "x" })) as { output: { text: string } };
  t.match(output, { code: 1, list: [1], text: /^a\nx.*full text in \.orch\/outputs\/call\.txt/s });
  t.equal(readFileSync(join(workspaceDir, ".orch/outputs/call.txt"), "utf8").length, 60_002);
});
