import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { listFiles } from "../../../src/engine/tools/list-files.ts";
import { readFile } from "../../../src/engine/tools/read-file.ts";
import type { Tool, ToolContext } from "../../../src/engine/tools/tool.ts";
import { workspacePath } from "../../../src/engine/tools/workspace-path.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";

function workspace(t: Test) {
  const outside = t.testdir({
    "secret.txt": "not yours",
    workspace: { "a.txt": "one\ntwo\nthree", b: { "c.txt": "deep" } },
  });
  const workspaceDir = join(outside, "workspace");
  const context = { workspaceDir, toolCallId: "c1", signal: new AbortController().signal } as ToolContext;
  const run = (tool: Tool, input: Record<string, unknown>) => tool.run(input, context);
  return { outside, workspaceDir, run };
}

t.test(
  "no path leads out of the workspace: not by dots, not by a link, not by a link on the way to a new file",
  async (t) => {
    const { outside, workspaceDir, run } = workspace(t);
    symlinkSync(outside, join(workspaceDir, "up"));
    symlinkSync(join(outside, "secret.txt"), join(workspaceDir, "innocent.txt"));
    symlinkSync("loop", join(workspaceDir, "loop"));
    for (const path of [
      "../secret.txt",
      "b/../../secret.txt",
      "up/secret.txt",
      "innocent.txt",
      "/etc/passwd",
      join(outside, "secret.txt"),
      "loop",
      "a\0b",
    ]) {
      await t.rejects(run(readFile, { path }), { name: "ToolFailed" }, JSON.stringify(path));
    }
    for (const path of ["../new.txt", "up/new.txt", "up/deeper/new.txt", "innocent.txt", "/tmp/../tmp/x"]) {
      await t.rejects(run(writeFile, { path, content: "x" }), { name: "ToolFailed" }, JSON.stringify(path));
    }
    await t.rejects(run(listFiles, { path: "up" }), { name: "ToolFailed" });
    t.equal(readFileSync(join(outside, "secret.txt"), "utf8"), "not yours");
    t.equal(
      await workspacePath(workspaceDir, join(workspaceDir, "a.txt")),
      join(workspaceDir, "a.txt"),
      "a whole path inside is fine",
    );
  },
);

t.test("files are read in full or by lines, and other files are refused", async (t) => {
  const { workspaceDir, run } = workspace(t);
  t.equal(await run(readFile, { path: "a.txt" }), "one\ntwo\nthree");
  t.equal(await run(readFile, { path: "a.txt", offset: 2, limit: 1 }), "two");
  writeFileSync(join(workspaceDir, "binary"), Buffer.from([1, 0, 2]));
  await t.rejects(run(readFile, { path: "binary" }), { message: /not a text file/ });
  await t.rejects(run(readFile, { path: "b" }), { message: /not a file/ });
  await t.rejects(run(readFile, { path: "nothing" }), { message: /ENOENT/ });
  const long = "x".repeat(300);
  await t.rejects(run(readFile, { path: long }), { message: `path: ${long} cannot be used (ENAMETOOLONG)` });
});

t.test("a write is atomic, creates folders, and leaves nothing on failure", async (t) => {
  const { workspaceDir, run } = workspace(t);
  t.same(await run(writeFile, { path: "new/deep/file.txt", content: "héllo" }), {
    path: "new/deep/file.txt",
    bytes: 6,
  });
  t.equal(readFileSync(join(workspaceDir, "new/deep/file.txt"), "utf8"), "héllo");
  await t.rejects(run(writeFile, { path: "b", content: "x" }), { message: /b cannot be written/ });
  t.same(await run(listFiles, {}), { path: ".", entries: ["a.txt (13)", "b/", "new/"], truncated: false });
  t.same(await run(listFiles, { path: "b", depth: 2 }), { path: "b", entries: ["b/c.txt (4)"], truncated: false });
});

t.test("a pipe is refused without blocking", async (t) => {
  const { workspaceDir, run } = workspace(t);
  execFileSync("mkfifo", [join(workspaceDir, "pipe")]);
  for (let count = 0; count < 8; count++)
    await t.rejects(run(readFile, { path: "pipe" }), { message: "pipe is not a file" });
});

t.test("a file without metadata is still listed", async (t) => {
  const { workspaceDir, run } = workspace(t);
  writeFileSync(Buffer.concat([Buffer.from(`${workspaceDir}/b/`), Buffer.from([0x78, 0xff])]), "no name of text");
  t.match(await run(listFiles, { path: "b" }), { entries: ["b/c.txt (4)", "b/x\ufffd"] });
});

t.test("a long list is marked as truncated", async (t) => {
  const { workspaceDir, run } = workspace(t);
  mkdirSync(join(workspaceDir, "many"));
  for (let file = 0; file < 1100; file++) writeFileSync(join(workspaceDir, "many", String(file)), "");
  const { entries, truncated } = (await run(listFiles, { path: "many" })) as { entries: string[]; truncated: boolean };
  t.equal(entries.length, 1000);
  t.equal(truncated, true);
});
