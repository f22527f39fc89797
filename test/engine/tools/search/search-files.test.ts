import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { searchFiles } from "../../../../src/engine/tools/search/search-files.ts";
import { toolBench } from "../../../helpers/tool-context.ts";

interface Found {
  readonly matches: number;
  readonly files_searched: number;
  readonly files_skipped?: string;
  readonly truncated?: string;
  readonly found: string;
}

const FILES = {
  "a.ts": "import x\nconst one = 1;\nconst two = 2;\n",
  "b.md": "# One\r\nsee ONE\r\n",
  src: { "c.ts": "one\n", deep: { "d.ts": "alone" } },
  ".git": { config: "one" },
  node_modules: { "e.ts": "one" },
};

function bench(t: Test, files: Parameters<typeof toolBench>[1] = FILES) {
  const parts = toolBench(t, files, { "secret.txt": "one" });
  const search = (pattern: unknown, more = {}, context = {}) => parts.run(searchFiles, { pattern, ...more }, context);
  const found = async (pattern: string, more = {}) => (await search(pattern, more)).output as Found;
  return { ...parts, search, found };
}

t.test("lines that match are found, with their places", async (t) => {
  const { found } = bench(t);
  t.same(await found("\\bone\\b"), {
    matches: 2,
    files_searched: 4,
    found: "a.ts:2: const one = 1;\nsrc/c.ts:1: one",
  });
  t.equal((await found("^see (ONE)$")).found, "b.md:2: see ONE", "Windows line ends are ends of lines");
  t.equal((await found("one", { ignore_case: true, glob: "*.md" })).found, "b.md:1: # One\nb.md:2: see ONE");
  t.equal((await found("(?i)ALONE")).found, "src/deep/d.ts:1: alone");
  t.equal((await found("nothing like it")).matches, 0);
});

t.test("a glob, a folder or a file narrow it down", async (t) => {
  const { found, search } = bench(t);
  const files = async (more: object) => [...new Set((await found("one", more)).found.match(/^[^:]+(?=:)/gm))];
  t.same(await files({ glob: "*.ts" }), ["a.ts", "src/c.ts", "src/deep/d.ts"]);
  t.same(await files({ glob: "src/*.ts" }), ["src/c.ts"]);
  t.same(await files({ glob: "**/d.*" }), ["src/deep/d.ts"]);
  t.same(await files({ path: "src" }), ["src/c.ts", "src/deep/d.ts"]);
  t.same(await files({ path: "src/c.ts" }), ["src/c.ts"]);
  t.same(await files({ path: ".git" }), [".git/config"], "what is left out is found when it is asked for");
  t.same(await files({ path: "node_modules/e.ts" }), ["node_modules/e.ts"]);
  t.match((await search("x", { path: "none" })).error, /none cannot be searched \(ENOENT\)/);
});

t.test("lines around a match are shown once each", async (t) => {
  const text = Array.from({ length: 12 }, (_, at) => (at === 2 || at === 4 || at === 10 ? "hit" : `l${at + 1}`)).join(
    "\n",
  );
  const { found } = bench(t, { "f.txt": text });
  t.equal(
    (await found("hit", { context: 1 })).found,
    ["-2- l2", ":3: hit", "-4- l4", ":5: hit", "-6- l6", "", "-10- l10", ":11: hit", "-12- l12"]
      .map((line) => (line === "" ? "--" : `f.txt${line}`))
      .join("\n"),
  );
});

t.test("a pattern or glob with exponential time is terminated without blocking the engine", async (t) => {
  const { search } = bench(t, { "f.txt": `${"a".repeat(60)}b` });
  let turns = 0;
  const alive = setInterval(() => turns++, 10);
  t.teardown(() => clearInterval(alive));
  const [pattern, glob] = await Promise.all([
    search("^(a+)+$"),
    search("x", { glob: `${"*a".repeat(40)}*+(a|aa|aaa)z` }),
  ]);
  t.match(pattern.error, /the pattern takes too long \(in f\.txt\)/);
  t.ok(glob.error === null || /the glob takes too long/.test(glob.error));
  t.ok(turns > 20);
});

t.test("a cancelled search ends its worker thread", async (t) => {
  const { search } = bench(t, { "f.txt": `${"a".repeat(60)}b` });
  const abort = new AbortController();
  const over = search("^(a+)+$", {}, { signal: abort.signal });
  setTimeout(() => abort.abort(new Error("cancelled")), 300);
  await t.rejects(over, { message: "cancelled" });
});

t.test("links are not followed, and binary files are skipped", async (t) => {
  const { workspaceDir, outside, found, search } = bench(t);
  symlinkSync(outside, join(workspaceDir, "out"));
  symlinkSync(join(outside, "secret.txt"), join(workspaceDir, "out.txt"));
  symlinkSync(".", join(workspaceDir, "round"));
  writeFileSync(join(workspaceDir, "binary"), "one\0");
  writeFileSync(join(workspaceDir, "large.txt"), Buffer.alloc(11 * 1024 * 1024, "one\n"));
  execFileSync("mkfifo", [join(workspaceDir, "pipe")]);
  const result = await found("one");
  t.equal(result.matches, 3);
  t.match(result.files_skipped, /^2 that are/);
  for (const path of ["out", "out.txt", "..", "/etc"])
    t.match((await search("one", { path })).error, /leads out/, path);
});

t.test("matches and line lengths are limited", async (t) => {
  const { found, workspaceDir } = bench(t, {});
  mkdirSync(join(workspaceDir, "many"));
  for (let file = 0; file < 30; file++) writeFileSync(join(workspaceDir, "many", `${file}.txt`), "hit\n".repeat(10));
  const some = await found("hit", { limit: 25 });
  t.match(some, { matches: 25, files_searched: 3, truncated: "only the first 25 matches are listed" });
  t.equal(some.found.split("\n").length, 25);
  t.match(await found("hit"), { matches: 100, truncated: /100/ });
  writeFileSync(join(workspaceDir, "wide.txt"), `hit${"x".repeat(5000)}`);
  t.match((await found("hit", { path: "wide.txt" })).found, /^wide\.txt:1: hitx{497}… \[5003 characters\]$/);
});

t.test("an invalid pattern is refused with a reason", async (t) => {
  const { search } = bench(t);
  t.match((await search("(unclosed")).error, /^pattern: .*Unterminated group/);
  for (const [pattern, more] of [
    ["", {}],
    [1, {}],
    ["x".repeat(2001), {}],
    ["x", { limit: 0 }],
    ["x", { limit: 1001 }],
    ["x", { context: -1 }],
    ["x", { glob: "" }],
    ["x", { path: 1 }],
  ] as const) {
    t.match((await search(pattern, more)).error, /^invalid arguments/, JSON.stringify([pattern, more]).slice(0, 40));
  }
});
