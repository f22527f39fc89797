import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { editFile, replacePassage } from "../../../src/engine/tools/edit-file.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { readInWorkspace, writeInWorkspace } from "../../../src/engine/tools/workspace-files.ts";
import { toolBench } from "../../helpers/tool-context.ts";

function bench(t: Test, content: string | Buffer) {
  const parts = toolBench(t, { "a.txt": "" });
  const file = join(parts.workspaceDir, "a.txt");
  writeFileSync(file, content);
  const edit = (old_text: string, new_text: string, more = {}) =>
    parts.run(editFile, { path: "a.txt", old_text, new_text, ...more });
  return { ...parts, file, edit, text: () => readFileSync(file, "utf8") };
}

t.test("a passage is replaced, and all other bytes are unchanged", async (t) => {
  const { edit, text, file } = bench(t, "\ufeffone\ntwo\n\tthree");
  chmodSync(file, 0o750);
  t.same(await edit("two", "2\n2½"), { output: { path: "a.txt", replaced: 1, lines: [2] }, error: null });
  t.equal(text(), "\ufeffone\n2\n2½\n\tthree", "the mark at its beginning, and no newline at its end");
  t.equal(statSync(file).mode & 0o777, 0o750);
  await edit("2\n2½\n", "");
  t.equal(text(), "\ufeffone\n\tthree");
});

t.test("regex syntax and replacement references are plain text", async (t) => {
  const { edit, text } = bench(t, "a.c $& (x)");
  await edit("$& (x)", "$1 $$ $` \\n");
  t.equal(text(), "a.c $1 $$ $` \\n");
  t.match((await edit("a*c", "")).error, /not found/);
});

t.test("a passage that occurs several times requires replace_all", async (t) => {
  const { edit, text } = bench(t, "x\ny\nx\nx y\n");
  const refused = await edit("x", "z");
  t.match(refused.error, /a\.txt was not changed: old_text occurs 3 times, in lines 1, 3, 4; .*replace_all/);
  t.equal(text(), "x\ny\nx\nx y\n");
  t.match((await edit("x", "z", { replace_all: true })).output, { replaced: 3, lines: [1, 3, 4] });
  t.equal(text(), "z\ny\nz\nz y\n");
});

t.test("a missing passage is reported, with the line of one that differs in whitespace", async (t) => {
  const { edit } = bench(t, "begin\n  if (a)  {\n    b();\n  }\n");
  t.match((await edit("nowhere", "x")).error, /old_text was not found; read the file/);
  t.match((await edit("if (a) {\n  b();", "x")).error, /text from line 2 differs only in whitespace/);
  t.match((await edit("begin", "begin")).error, /are the same/);
});

t.test("CRLF line endings are kept, and applied to the replacement", async (t) => {
  const { edit, text } = bench(t, "one\r\ntwo\r\nthree\r\n");
  t.match(await edit("one\ntwo", "1\n2\n2a"), { error: null });
  t.equal(text(), "1\r\n2\r\n2a\r\nthree\r\n");
  const mixed = replacePassage("a\r\nb\nc", { passage: "b\nc", replacement: "d\ne", all: false });
  t.match(mixed, { kind: "edited", text: "a\r\nd\ne" });
});

t.test("missing files, folders and binary files are not edited", async (t) => {
  const { edit, run, workspaceDir, file } = bench(t, Buffer.from([0x61, 0xff, 0x62]));
  t.match((await edit("a", "b")).error, "a.txt is not a text file");
  t.same(readFileSync(file), Buffer.from([0x61, 0xff, 0x62]));
  mkdirSync(join(workspaceDir, "folder"));
  for (const path of ["folder", "none.txt", "../a.txt", ".", "/etc/hostname", "a.txt/b"]) {
    const { error } = await run(editFile, { path, old_text: "a", new_text: "b" });
    t.match(error, /not a file|cannot be|leads out/, path);
  }
  for (const input of [
    {},
    { path: "a.txt", old_text: "", new_text: "x" },
    { path: "", old_text: "a", new_text: "b" },
    { path: "a.txt", old_text: 1, new_text: "b" },
    { path: "a.txt", old_text: "a", new_text: "b", replace_all: "yes" },
  ]) {
    t.match((await run(editFile, input)).error, /^invalid arguments/, JSON.stringify(input));
  }
});

t.test("a file changed between read and write is not overwritten", async (t) => {
  const { workspaceDir, file, text } = bench(t, "old");
  const { stats } = await readInWorkspace({ workspaceDir, path: "a.txt" });
  writeFileSync(file, "newer");
  await t.rejects(writeInWorkspace({ workspaceDir, path: "a.txt" }, "edited", { replacing: stats }), ToolFailed);
  t.equal(text(), "newer");
  t.same(readdirSync(workspaceDir), ["a.txt"], "no draft is left");
});

t.test(
  "by a link inside the workspace the file itself is edited, and another name of a file is left alone",
  async (t) => {
    const { run, workspaceDir, file, text } = bench(t, "one");
    symlinkSync("a.txt", join(workspaceDir, "link"));
    linkSync(file, join(workspaceDir, "other"));
    t.match(await run(editFile, { path: "link", old_text: "one", new_text: "two" }), { error: null });
    t.equal(text(), "two");
    t.equal(readFileSync(join(workspaceDir, "other"), "utf8"), "one");
  },
);
