import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { freshFolder } from "../../helpers/folder.ts";
import { agentFile, catalogBench, skillFile } from "./catalog-bench.ts";

const RULES = `tool_rules:
  # Nobody needs it.
  - tool: run_command
    input: { command: "*sudo*" }
    permission: deny
    reason: no root
  - tool: mcp__docs__*
    permission: allow
`;

t.test("rules are read in their order, with file and line", async (t) => {
  const { load } = catalogBench(t, { "settings.yaml": RULES });
  const { catalog, problems, warnings } = await load();
  t.same([...problems, ...warnings], []);
  t.same(catalog.rules, [
    {
      tool: "run_command",
      input: [{ path: ["command"], pattern: "*sudo*" }],
      permission: "deny",
      reason: "no root",
      place: { path: "settings.yaml", line: 3 },
    },
    { tool: "mcp__docs__*", input: [], permission: "allow", reason: null, place: { path: "settings.yaml", line: 7 } },
  ]);
});

t.test("an engine's own rules come before those of its product", async (t) => {
  const product = freshFolder(t);
  mkdirSync(product, { recursive: true });
  writeFileSync(join(product, "settings.yaml"), "tool_rules:\n  - { tool: '*', permission: ask }\n");
  const { catalog } = await catalogBench(t, { "settings.yaml": RULES }).load(product);
  t.same(
    catalog.rules.map(({ place: { path, line } }) => `${path}:${line}`),
    ["settings.yaml:3", "settings.yaml:7", "(product) settings.yaml:2"],
  );
});

t.test("a fault is named with its line, and the rules of an invalid file deny every call", async (t) => {
  const faults: readonly (readonly [string, number, RegExp])[] = [
    ["tool_rules:\n  - tool: read_file\n    permission: maybe\n", 3, /tool_rules\.0\.permission/],
    ["tool_rules:\n  - tool: read file\n    permission: deny\n", 2, /tool_rules\.0\.tool: expected a tool name/],
    ["tool_rules:\n  - tool: '*'\n    permision: deny\n", 2, /permi/],
    ["tool_rules:\n  - tool: '*'\n    permission: deny\n    input:\n      a..b: x\n", 5, /expected names of arguments/],
    ["tool_rule: []\n", 1, /tool_rule/],
    ["catalog: { shipped: some }\n", 1, /catalog\.shipped: .*all/],
    ["catalog: { skills: none }\n", 1, /skills/],
    ["tool_rules: [\n", 2, /invalid YAML/],
    [`tool_rules:\n  - tool: '*'\n    permission: deny\n    input: { a: "${"x".repeat(257)}" }\n`, 4, /input\.a/],
    [`tool_rules:\n${"  - { tool: '*', permission: deny }\n".repeat(201)}`, 1, /200/],
    ["a: &a [x]\ntool_rules: *a\n", 1, /aliases/],
  ];
  for (const [text, line, message] of faults) {
    const { catalog, problems } = await catalogBench(t, { "settings.yaml": text }).load();
    t.match(problems[0], { path: "settings.yaml", line, message }, text.slice(0, 80));
    t.match(catalog.rules, [{ tool: "*", permission: "deny", reason: /settings\.yaml/ }]);
  }
});

t.test("an empty file has no rules, and * in an allowed command causes a warning", async (t) => {
  t.same((await catalogBench(t, { "settings.yaml": "" }).load()).catalog.rules, []);
  const text = "tool_rules:\n  - tool: run_command\n    input: { command: git status* }\n    permission: allow\n";
  const { warnings } = await catalogBench(t, { "settings.yaml": text }).load();
  t.match(warnings, [{ path: "settings.yaml", line: 2, message: /other commands/ }]);
});

t.test("catalog.shipped: none removes shipped agents and skills, but the default agent", async (t) => {
  const own = { "agents/coder.md": agentFile("coder"), "skills/own/SKILL.md": skillFile("own") };
  const shipped = (what: string) => ({ "settings.yaml": `catalog:\n  shipped: ${what}\n` });
  const namesOf = async (files: Readonly<Record<string, string>>, product?: string) => {
    const { catalog, problems, warnings } = await catalogBench(t, files).load(product);
    t.same([...problems, ...warnings], []);
    return [...catalog.agents.keys(), ...catalog.skills.keys(), ...catalog.tools.keys()].toSorted();
  };
  t.same(await namesOf({ ...own, ...shipped("none") }), ["coder", "current_time", "default", "own"]);
  const product = freshFolder(t);
  mkdirSync(product, { recursive: true });
  writeFileSync(join(product, "settings.yaml"), "catalog: { shipped: none }\ntool_rules: []\n");
  t.same(await namesOf({}, product), ["current_time", "default"], "the product's holds for its engines");
  t.same(await namesOf({ "settings.yaml": "tool_rules: []\n" }, product), ["current_time", "default"]);
  t.ok((await namesOf(shipped("all"), product)).includes("reviewer"), "an engine's own comes last");
});
