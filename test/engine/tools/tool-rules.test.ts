import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { argumentForms, matchesGlob } from "../../../src/engine/tools/argument-forms.ts";
import { authorize } from "../../../src/engine/tools/authorize.ts";
import { readFile } from "../../../src/engine/tools/read-file.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { type RulePermission, type ToolRule, decidingRule } from "../../../src/engine/tools/tool-rules.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { freshFolder } from "../../helpers/folder.ts";

const rule = (
  permission: RulePermission,
  tool: string,
  input: Readonly<Record<string, string>> = {},
  reason: string | null = null,
): ToolRule => ({
  tool,
  permission,
  reason,
  input: Object.entries(input).map(([path, pattern]) => ({ path: path.split("."), pattern })),
  place: { path: "settings.yaml", line: 2 },
});
const decides = (one: ToolRule, tool: string, input: unknown): boolean =>
  decidingRule([one], { tool, input: JSON.parse(JSON.stringify(input)) as Record<string, unknown> }) !== null;

t.test("the first rule that matches decides", async (t) => {
  const rules = [rule("allow", "write_file", { path: "notes/*" }), rule("deny", "write_file"), rule("ask", "*")];
  const judge = (tool: string, input: Record<string, unknown>) => decidingRule(rules, { tool, input })?.permission;
  t.equal(judge("write_file", { path: "notes/a.md" }), "allow");
  t.equal(judge("write_file", { path: "a.md" }), "deny");
  t.equal(judge("read_file", { path: "a.md" }), "ask");
  t.equal(decidingRule(rules.slice(0, 2), { tool: "read_file", input: {} }), null);
});

t.test("every argument of a rule must match", async (t) => {
  const both = rule("deny", "send", { to: "*@example.com", urgent: "true" });
  t.ok(decides(both, "send", { to: "a@example.com", urgent: true }));
  t.notOk(decides(both, "send", { to: "a@example.com", urgent: false }));
  t.notOk(decides(both, "send", { to: "a@example.com" }), "an argument that is left out");
});

t.test("attack: a name of a tool in other letters, or a server's tool of the same name", async (t) => {
  const allowed = rule("allow", "read_file");
  for (const name of ["Read_File", "read_file ", "mcp__files__read_file", "read_fil\u0435"])
    t.notOk(decides(allowed, name, {}), name);
  t.ok(decides(rule("deny", "mcp__files__*"), "mcp__files__read_file", {}));
});

t.test("attack: the denied argument as a list, an object, a number or escaped", async (t) => {
  const denied = rule("deny", "run", { command: "rm *" });
  const allowed = rule("allow", "run", { command: "rm *" });
  for (const command of [["rm", "-rf"], { 0: "rm -rf" }, [["ls"]], []]) {
    t.ok(decides(denied, "run", { command }), JSON.stringify(command));
    t.notOk(decides(allowed, "run", { command }), JSON.stringify(command));
  }
  t.ok(decides(rule("deny", "pay", { amount: "1000" }), "pay", { amount: 1e3 }));
  t.ok(decides(rule("deny", "pay", { amount: "1000" }), "pay", { amount: "1000" }));
  const escaped = JSON.parse('{"command":"\\u0072m -rf"}') as Record<string, unknown>;
  t.ok(decides(denied, "run", escaped));
  t.ok(decides(rule("deny", "say", { name: "é" }), "say", { name: "e\u0301" }), "decomposed letters");
});

t.test("attack: a list where the rule expects an object, and the reverse", async (t) => {
  const path = { "files.*.path": "secrets/*" };
  t.ok(decides(rule("deny", "pack", path), "pack", { files: [{ path: "a" }, { path: "secrets/key" }] }));
  t.ok(decides(rule("deny", "pack", path), "pack", { files: ["secrets/key"] }));
  t.ok(decides(rule("deny", "pack", { "options.path": "secrets/*" }), "pack", { options: [{ path: "secrets/key" }] }));
  t.ok(decides(rule("deny", "pack", { "options.path": "secrets/*" }), "pack", { options: "secrets/key" }));
  const allowed = rule("allow", "pack", { "files.*.path": "docs/*" });
  t.ok(decides(allowed, "pack", { files: [{ path: "docs/a" }] }));
  t.notOk(decides(allowed, "pack", { files: [{ path: "docs/a" }, { path: "secrets/key" }] }), "one of them is not");
  t.notOk(decides(allowed, "pack", { files: [] }), "nothing to allow");
  t.ok(
    decides(rule("deny", "pack", path), "pack", { files: Array.from({ length: 20_000 }, () => ({ path: "a" })) }),
    "too many to judge",
  );
});

t.test("attack: names of an object's prototype", async (t) => {
  t.notOk(decides(rule("allow", "x", { "constructor.name": "*" }), "x", {}));
  t.notOk(decides(rule("deny", "x", { __proto__x: "*" }), "x", {}));
});

t.test("attack: other forms of a path or an address", async (t) => {
  const denied = rule("deny", "mcp__f__read", { path: "secrets/*" });
  const allowed = rule("allow", "mcp__f__read", { path: "docs/*" });
  for (const path of [
    "secrets/key",
    "./secrets/key",
    "docs/../secrets/key",
    "secrets//key",
    "docs/.././secrets/./key",
  ]) {
    t.ok(decides(denied, "mcp__f__read", { path }), path);
    t.notOk(decides(allowed, "mcp__f__read", { path }), path);
  }
  t.ok(decides(allowed, "mcp__f__read", { path: "docs/a.md" }));
  const host = rule("deny", "fetch_url", { url: "https://internal.example.com/*" });
  const written = [
    "https://internal.example.com/x",
    "HTTPS://INTERNAL.example.com/x",
    " https://internal.example.com/x",
    "https:\\\\internal.example.com\\x",
    "https://in\tternal.example.com/x",
    "https://internal.example.com:443/x",
  ];
  for (const url of written) t.ok(decides(host, "fetch_url", { url }), JSON.stringify(url));
  const api = rule("allow", "fetch_url", { url: "https://api.example.com/v1/*" });
  t.ok(decides(api, "fetch_url", { url: "https://api.example.com/v1/x" }));
  for (const url of ["https://api.example.com/v1/../admin", "https://api.example.com/v1/%2e%2e/admin"])
    t.notOk(decides(api, "fetch_url", { url }), url);
});

t.test("a pattern is compared in linear time", async (t) => {
  t.ok(matchesGlob("*", ""));
  t.ok(matchesGlob("a*b*c", "a-b-b-c"));
  t.notOk(matchesGlob("a*b*c", "a-c-b"));
  t.notOk(matchesGlob("ab*ba", "aba"), "the ends do not overlap");
  t.notOk(matchesGlob("a*bc*c", "abc"), "nor do the parts");
  t.ok(matchesGlob("a.c", "a.c"));
  t.notOk(matchesGlob("a.c", "abc"), "only * is special");
  const before = performance.now();
  t.notOk(matchesGlob("*a".repeat(127), `${"a".repeat(1_000_000)}b`));
  t.notOk(matchesGlob(`*${"a".repeat(120)}b${"*a".repeat(60)}c*`, "a".repeat(1_000_000)));
  argumentForms("/..".repeat(300_000));
  t.ok(performance.now() - before < 3000);
});

t.test("a rule on files is judged by the real path, to which the call is bound", async (t) => {
  const workspaceDir = freshFolder(t);
  mkdirSync(join(workspaceDir, "secrets"));
  writeFileSync(join(workspaceDir, "secrets/key"), "x");
  symlinkSync("secrets", join(workspaceDir, "docs"));
  const rules = [rule("deny", "read_file", { path: "secrets/*" }, "they are secret")];
  const judge = (tool: Tool, path: string, own: readonly ToolRule[] = rules) =>
    authorize({ tool, input: { path }, rules: own, grants: [], workspaceDir });
  for (const path of ["secrets/key", "docs/key", join(workspaceDir, "docs/../docs/key"), "./docs//key"])
    t.match(await judge(readFile, path), { kind: "deny", reason: /rules deny this call: they are secret/ }, path);
  t.same(await judge(readFile, "a.md"), { kind: "allow", realPath: "a.md" });
  const allows = [rule("allow", "write_file", { path: "docs/*" })];
  t.match(await judge(writeFile, "docs/key", allows), { kind: "ask" }, "a link to another folder");
  t.match(await judge(writeFile, "other/a.md", allows), { kind: "ask" });
  t.match(await judge(readFile, "../x"), { kind: "deny", reason: /leads out/ });
});

t.test("a rule that denies wins over a grant, and one that asks is answered by it", async (t) => {
  const workspaceDir = freshFolder(t);
  const grants = [{ tool: "write_file", pattern: "a.md", taskId: null }];
  const judge = (permission: RulePermission) =>
    authorize({
      tool: writeFile,
      input: { path: "a.md", content: "" },
      rules: [rule(permission, "write_*")],
      grants,
      workspaceDir,
    });
  t.match(await judge("deny"), { kind: "deny" });
  t.match(await judge("ask"), { kind: "allow" });
});
