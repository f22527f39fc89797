import { symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
  type Authorization,
  PERMISSION_OPTIONS,
  type PermissionOption,
  authorize as judge,
  grantOf,
} from "../../../src/engine/tools/authorize.ts";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { builtInTools } from "../../../src/engine/tools/built-in-tools.ts";
import { createToolRegistry } from "../../../src/engine/tools/registry.ts";
import { visibleProse, visibleText } from "../../../src/engine/tools/visible-text.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { fetchUrl } from "../../../src/engine/tools/web/fetch-url.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { commandHost } from "../../helpers/command-host.ts";

const BUILT_IN_TOOLS = builtInTools({
  commands: commandHost(),
  publisher: { publish: () => Promise.reject(new Error("nothing is published here")) },
  plans: { ofTask: () => [], replace: () => undefined },
  memory: { search: { search: async () => [] }, fullItems: { read: () => null } },
});
const registry = createToolRegistry(BUILT_IN_TOOLS);
const input = { path: "notes/today.md", content: "x" };
const workspaceDir = t.testdir({ notes: {} });

type Call = Omit<Parameters<typeof judge>[0], "workspaceDir" | "rules">;
const authorize = (call: Call) => judge({ ...call, rules: [], workspaceDir });

async function asked(call: Omit<Call, "grants">): Promise<Extract<Authorization, { kind: "ask" }>> {
  const verdict = await authorize({ ...call, grants: [] });
  if (verdict.kind !== "ask") throw new Error(verdict.kind);
  return verdict;
}

/** What an answer to the question about a call allows. */
async function granted(tool: Tool, of: Call["input"], answer: PermissionOption) {
  return grantOf(tool, (await asked({ tool, input: of })).pattern, { answer, taskId: "t" });
}

t.test("tools that write files or run commands ask, others are allowed", async (t) => {
  const asking: string[] = [];
  for (const tool of BUILT_IN_TOOLS) {
    const call = { tool, input: { ...input, question: "?", command: "ls" }, grants: [] };
    const { kind } = await authorize(call);
    if (kind === "ask") asking.push(tool.name);
    else t.equal(kind, "allow", tool.name);
  }
  t.same(asking, ["edit_file", "run_command", "write_file"]);
});

t.test("a grant counts for its tool, its file and its task, and for nothing else", async (t) => {
  t.equal(await granted(writeFile, input, "allow_once"), null);
  t.equal(await granted(writeFile, input, "deny"), null);
  const task = await granted(writeFile, input, "allow_task");
  t.match(task, { tool: "write_file", taskId: "t" });
  t.match(await granted(writeFile, input, "allow_always"), { tool: "write_file", taskId: null });
  if (task === null) throw new Error("no grant");
  const ask = async (other: object, grant = task) =>
    (await authorize({ tool: writeFile, input: { ...input, ...other }, grants: [grant] })).kind;
  t.equal(await ask({ content: "other words" }), "allow");
  for (const path of ["./notes/../notes/today.md", join(workspaceDir, "notes/today.md"), "other/today.md"]) {
    if (path.startsWith("other")) symlinkSync("notes", join(workspaceDir, "other"));
    t.equal(await ask({ path }), "allow", `the same file as ${path}`);
  }
  t.equal(await ask({ path: "notes/tomorrow.md" }), "ask");
  t.equal(await ask({}, { ...task, tool: "edit_file" }), "ask");
  t.equal(await ask({ path: "../today.md" }), "deny", "nobody is asked about what cannot be done");
});

t.test("a person is shown exactly what will be done, and the four answers", async (t) => {
  const sneaky = { path: "a\u202Etxt.exe", content: "rm\u200B\u0007" };
  const verdict = await asked({ tool: writeFile, input: sneaky });
  t.same(verdict.options, PERMISSION_OPTIONS);
  const shown = JSON.stringify([verdict.question, verdict.context]);
  t.match(shown, /u\{202e\}/);
  t.match(shown, /u\{200b\}/);
  for (const hidden of ["\u202E", "\u200B", "\u0007"]) t.notOk(shown.includes(hidden));
});

t.test("a grant of a command is for that very line", async (t) => {
  const tool = runCommand(commandHost());
  const grant = await granted(tool, { command: "git status" }, "allow_always");
  if (grant === null) throw new Error("no grant");
  const verdict = async (command: string, more = {}) =>
    (await authorize({ tool, input: { command, ...more }, grants: [grant] })).kind;
  t.equal(await verdict("git status"), "allow");
  t.equal(await verdict("git status", { timeout_s: 5 }), "allow");
  for (const command of [
    "git status; rm -rf .",
    "git status --short",
    "git  status",
    "git status ",
    "git",
    "git status\n",
    "git status\u200b",
  ])
    t.equal(await verdict(command), "ask", JSON.stringify(command));
});

t.test("a subject too long to show gets no grant, and is identified by its hash", async (t) => {
  const tool = runCommand(commandHost());
  const command = `echo ${"x".repeat(10_000)}; rm -rf .`;
  const grant = { tool: "run_command", pattern: command, taskId: null };
  const verdict = await authorize({ tool, input: { command }, grants: [grant] });
  if (verdict.kind !== "ask") throw new Error(verdict.kind);
  t.same(verdict.options, ["allow_once", "deny"]);
  t.match(verdict.question, /^May the agent use run_command on echo x+ … .*; rm -rf \.\?$/);
  t.match(verdict.context, { input: /rm -rf \."\}$/, input_sha256: /^[0-9a-f]{64}$/ });
  t.notOk("input_sha256" in (await asked({ tool, input: { command: "ls" } })).context);
});

t.test("the limit applies to the escaped text", async (t) => {
  const tool = runCommand(commandHost());
  const whole = `echo ${"é".repeat(500)}`;
  t.same((await asked({ tool, input: { command: whole } })).options, PERMISSION_OPTIONS);
  const command = `echo ${"\u200b\u200c".repeat(100)}`;
  const verdict = await asked({ tool, input: { command } });
  t.same(verdict.options, ["allow_once", "deny"]);
  t.match(verdict.context, { input_sha256: /^[0-9a-f]{64}$/ });
  const grant = { tool: tool.name, pattern: command, taskId: null };
  t.equal((await authorize({ tool, input: { command }, grants: [grant] })).kind, "ask", "no older grant counts either");
});

t.test("an address is shown as it is requested, with its host in ASCII", async (t) => {
  const tool: Tool = { ...(fetchUrl(commandHost().network.rules) as unknown as Tool), permission: "ask" };
  for (const [url, shown] of [
    ["https://\u0430pple.com/", "GET https://xn--pple-43d.com/"],
    ["HTTPS://Example.COM:443/%2e%2e/a\u202eb", "GET https://example.com/a%E2%80%AEb"],
    ["https://google.com@evil.example/", "GET https://google.com@evil.example/"],
    ["no address", "GET no address"],
  ])
    t.equal((await asked({ tool, input: { url } })).question, `May the agent use fetch_url on ${shown}?`);
});

t.test("hidden characters are escaped, and long text shows both ends", async (t) => {
  t.equal(visibleText("a\u2066b\nc", 100), "a\\u{2066}b⏎c");
  for (const hidden of [
    "\u3164",
    "\ufe0f",
    "\u{e0041}",
    "\u2800",
    "\u00a0",
    "\u2028",
    "\ud800",
    "\u034f",
    "\u00ad",
    "\r",
  ])
    t.match(visibleText(`a${hidden}b`, 100), /^a\\u\{[0-9a-f]+\}b$/, `U+${(hidden.codePointAt(0) ?? 0).toString(16)}`);
  t.equal(visibleText("漢字 é 😀 a b", 100), "漢字 é 😀 a b");
  t.equal(visibleText("Привет, γειά, cafe\u0301 naïve 한글 हिन्दी", 100), "Привет, γειά, cafe\u0301 naïve 한글 हिन्दी");
  t.equal(
    visibleText("p\u0430ypal \u0441\u0443", 100),
    "p\\u{430}ypal \u0441\u0443",
    "a Cyrillic letter among Latin ones",
  );
  for (const covering of [";\u0338", "a\u20dd", "; \u0301", "e\u0301\u0301\u0301\u0301\u0301"])
    t.match(visibleText(covering, 100), /\\u\{[0-9a-f]+\}$/, covering);
  t.equal(visibleText("\u200b".repeat(300), 100), "\\u{200b} [300 of these] ");
  t.equal(
    visibleText(`ls${" ".repeat(300)}; rm`, 100),
    "ls  [300 of these] ; rm",
    "padding cannot push it out of sight",
  );
  const long = visibleText(`start${"x".repeat(9000)}end`, 100);
  t.match(long, /^start.* more characters.*end$/);
});

t.test("a question keeps its line breaks and letters, and hidden characters are escaped", async (t) => {
  const plain = "Which?\n\t1. می\u200cخواهم 2. ❤\ufe0f 3. 👨\u200d👩\u200d👧 4. क्\u200dष é";
  t.equal(visibleProse(plain), plain);
  t.equal(
    visibleProse("a\u202eb\u200b \u200d\ufe0f\rd\u00a0e"),
    "a\\u{202e}b\\u{200b} \\u{200d}\\u{fe0f}\\u{d}d\\u{a0}e",
  );
});

t.test("a tool is known by its own name only, and the list a model sees is the same bytes each time", async (t) => {
  for (const name of ["constructor", "__proto__", "toString", "", "nope"]) t.equal(registry.get(name), undefined, name);
  t.equal(
    JSON.stringify(registry.modelTools),
    JSON.stringify(createToolRegistry(BUILT_IN_TOOLS.toReversed()).modelTools),
  );
  for (const { inputSchema } of registry.modelTools) t.match(inputSchema, { type: "object" });
});
