import t from "tap";
import { PERMISSION_OPTIONS, authorize, grantOf } from "../../../src/engine/tools/authorize.ts";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { builtInTools } from "../../../src/engine/tools/built-in-tools.ts";
import { createToolRegistry } from "../../../src/engine/tools/registry.ts";
import { visibleProse, visibleText } from "../../../src/engine/tools/visible-text.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";

const BUILT_IN_TOOLS = builtInTools({
  environment: {},
  plans: { ofTask: () => [], replace: () => undefined },
  memory: { search: { search: async () => [] }, whole: { read: () => null } },
});
const registry = createToolRegistry(BUILT_IN_TOOLS);
const input = { path: "notes/today.md", content: "x" };

t.test("what only reads is allowed, what changes something asks", async (t) => {
  const verdicts = Object.fromEntries(
    BUILT_IN_TOOLS.map((tool) => [tool.name, authorize({ tool, input: { ...input, question: "?" }, grants: [] }).kind]),
  );
  t.same(verdicts, {
    ask_human: "allow",
    edit_file: "ask",
    fetch_url: "allow",
    list_files: "allow",
    memory_note: "allow",
    memory_search: "allow",
    plan: "allow",
    read_file: "allow",
    run_command: "ask",
    search_files: "allow",
    write_file: "ask",
  });
});

t.test("a grant counts for its tool, its resource and its task, and for nothing else", async (t) => {
  t.equal(grantOf(writeFile, input, { answer: "allow_once", taskId: "t" }), null);
  t.equal(grantOf(writeFile, input, { answer: "deny", taskId: "t" }), null);
  const task = grantOf(writeFile, input, { answer: "allow_task", taskId: "t" });
  const always = grantOf(writeFile, input, { answer: "allow_always", taskId: "t" });
  t.match(task, { tool: "write_file", taskId: "t" });
  t.match(always, { tool: "write_file", taskId: null });
  if (task === null) throw new Error("no grant");
  const ask = (other: object, grant = task) =>
    authorize({ tool: writeFile, input: { ...input, ...other }, grants: [grant] }).kind;
  t.equal(ask({ content: "other words" }), "allow");
  t.equal(ask({ path: "./notes/../notes/today.md" }), "allow", "the same file by another name");
  t.equal(ask({ path: "notes/tomorrow.md" }), "ask");
  t.equal(ask({}, { ...task, tool: "edit_file" }), "ask");
});

t.test("a person is shown exactly what will be done, and the four answers", async (t) => {
  const sneaky = { path: "a\u202Etxt.exe", content: "rm\u200B\u0007" };
  const verdict = authorize({ tool: writeFile, input: sneaky, grants: [] });
  if (verdict.kind !== "ask") throw new Error(verdict.kind);
  t.same(verdict.options, PERMISSION_OPTIONS);
  const shown = JSON.stringify([verdict.question, verdict.context]);
  t.match(shown, /u\{202e\}/);
  t.match(shown, /u\{200b\}/);
  for (const hidden of ["\u202E", "\u200B", "\u0007"]) t.notOk(shown.includes(hidden));
});

t.test("a grant of a command is for that very line", async (t) => {
  const tool = runCommand({});
  const grant = grantOf(tool, { command: "git status" }, { answer: "allow_always", taskId: "t" });
  if (grant === null) throw new Error("no grant");
  const verdict = (command: string, more = {}) =>
    authorize({ tool, input: { command, ...more }, grants: [grant] }).kind;
  t.equal(verdict("git status"), "allow");
  t.equal(verdict("git status", { timeout_s: 5 }), "allow");
  for (const command of [
    "git status; rm -rf .",
    "git status --short",
    "git  status",
    "git status ",
    "git",
    "git status\n",
    "git status\u200b",
  ])
    t.equal(verdict(command), "ask", JSON.stringify(command));
});

t.test("what nobody could read to its end is allowed once at most, and can be told by its hash", async (t) => {
  const tool = runCommand({});
  const command = `echo ${"x".repeat(10_000)}; rm -rf .`;
  const grant = { tool: "run_command", pattern: command, taskId: null };
  const verdict = authorize({ tool, input: { command }, grants: [grant] });
  if (verdict.kind !== "ask") throw new Error(verdict.kind);
  t.same(verdict.options, ["allow_once", "deny"]);
  t.match(verdict.question, /^May the agent use run_command on echo x+ … .*; rm -rf \.\?$/);
  t.match(verdict.context, { input: /rm -rf \."\}$/, input_sha256: /^[0-9a-f]{64}$/ });
  const short = authorize({ tool, input: { command: "ls" }, grants: [] });
  t.notOk(short.kind === "ask" && "input_sha256" in short.context);
});

t.test("hidden characters show, and long text shows both ends", async (t) => {
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
  t.equal(
    visibleText(`ls${" ".repeat(300)}; rm`, 100),
    "ls  [300 of these] ; rm",
    "padding cannot push it out of sight",
  );
  const long = visibleText(`start${"x".repeat(9000)}end`, 100);
  t.match(long, /^start.* characters more.*end$/);
});

t.test("a question keeps its lines and its letters, and hides nothing", async (t) => {
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
