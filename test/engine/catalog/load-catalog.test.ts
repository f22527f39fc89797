import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { agentFile, catalogBench, skillFile, toolFile } from "./catalog-bench.ts";

t.test("without a catalog folder the shipped entries are loaded, and are valid", async (t) => {
  const { load } = catalogBench(t);
  const { catalog, problems, warnings } = await load();
  t.same(problems, []);
  t.same(warnings, []);
  t.same([...catalog.agents.keys()], ["default", "planner", "researcher", "coder", "reviewer"]);
  t.same([...catalog.skills.keys()], ["research-report", "analyse-data", "find-a-fault"]);
  t.same([...catalog.tools.keys()], ["current_time"]);
  t.equal(catalog.agents.get("planner")?.model, "planner");
  for (const { name, description } of [...catalog.agents.values(), ...catalog.skills.values()]) {
    t.match(name, /^[a-z]+(-[a-z]+)*$/);
    t.match(description, /^.{20,1024}$/);
  }
  for (const { shipped } of catalog.skills.values()) t.match(shipped, /^# [^]+\n$/);
});

t.test("a file overrides or disables the shipped entry of its name", async (t) => {
  const { load } = catalogBench(t, {
    "agents/coder.md": agentFile(
      "coder",
      "tools: read_file, mcp__*\npermissions:\n  run_command: deny\nmodel: light\n",
    ),
    "agents/planner.md": agentFile("planner", "disabled: true\n"),
    "skills/find-a-fault/SKILL.md": skillFile("find-a-fault"),
    "skills/new-one/SKILL.md": skillFile("new-one", "license: MIT\nallowed-tools: Read Bash\nmodel: x\n"),
    "tools/say.json": toolFile({ name: "say" }),
    ".mcp.json": '{"mcpServers":{"a":{"command":"x"}}}',
  });
  const { catalog, problems, warnings } = await load();
  t.same(problems, []);
  t.same(warnings, [{ path: "skills/new-one/SKILL.md", message: "model: unknown field, ignored" }]);
  t.same(catalog.agents.get("coder"), {
    name: "coder",
    description: "Does what coder does.",
    model: "light",
    tools: ["read_file", "mcp__*"],
    permissions: { run_command: "deny" },
    instructions: "I am coder.",
  });
  t.equal(catalog.agents.has("planner"), false);
  t.match(catalog.skills.get("find-a-fault"), { description: "For find-a-fault.", shipped: null });
  t.ok(catalog.skills.has("new-one"));
  t.match(catalog.tools.get("say"), { permission: "ask", readOnly: false });
  t.equal(catalog.servers.count, 1);
});

t.test("an agent with unknown tools causes a warning", async (t) => {
  const { load } = catalogBench(t, {
    "agents/clerk.md": agentFile(
      "clerk",
      "tools: [read_file, say, raed_file, mcp__x__y, no_*]\npermissions:\n  wirte: ask\n",
    ),
    "tools/say.json": toolFile({ name: "say" }),
  });
  const { catalog, problems, warnings } = await load();
  t.same(problems, []);
  t.ok(catalog.agents.has("clerk"));
  const path = "agents/clerk.md";
  t.same(warnings, [
    { path, message: "tools: unknown tool raed_file" },
    { path, message: "permissions: unknown tool wirte" },
  ]);
});

t.test("a disabled entry needs no other field, but its fields are validated", async (t) => {
  const off = "---\ndisabled: true\n---\n";
  const { load } = catalogBench(t, {
    "agents/planner.md": off,
    "agents/reviewer.md": "---\ndisabled: true\nname: other\n---\n",
    "agents/coder.md": "---\ndisabled: true\ntool: x\n---\n",
    "agents/researcher.md": "---\ndisabled: false\n---\n",
    "skills/find-a-fault/SKILL.md": off,
    "tools/current_time.json": '{"disabled":true}',
    "tools/read_file.json": '{"disabled":true}',
  });
  const { catalog, problems } = await load();
  t.notOk(catalog.agents.has("planner"));
  t.notOk(catalog.skills.has("find-a-fault"));
  t.notOk(catalog.tools.has("current_time"));
  t.match(Object.fromEntries(problems.map(({ path, message }) => [path, message])), {
    "agents/reviewer.md": /name: expected reviewer as in the file name, got other/,
    "agents/coder.md": /tool: unknown field/,
    "agents/researcher.md": /description: required/,
    "tools/read_file.json": /reserved for a tool of the engine/,
  });
  t.equal(problems.length, 5, "all problems of one entry are reported");
});

t.test("each invalid entry is reported by its path, and the others are loaded", async (t) => {
  const { load } = catalogBench(t, {
    "agents/good.md": agentFile("good"),
    "agents/open-door.md": agentFile("open-door", "tool: [read_file]\n"),
    "agents/other-name.md": agentFile("good"),
    "agents/Upper.md": agentFile("Upper"),
    "agents/coder.md": "no front matter",
    "agents/default.md": agentFile("default", "disabled: true\n"),
    "agents/latin.md": Buffer.from("---\nname: latin\ndescription: caf\xe9\n---\n", "latin1"),
    "agents/large.md": Buffer.alloc(10 * 1024 * 1024, 0x61),
    "agents/loud.md": agentFile("loud", "permissions: {run_command: always}\n"),
    "skills/empty/notes.md": "",
    "skills/double--hyphen/SKILL.md": skillFile("double--hyphen"),
    "skills/long/SKILL.md": `---\nname: long\ndescription: ${"x".repeat(1025)}\n---\n`,
    "tools/read_file.json": toolFile(),
    "tools/two.json": toolFile({ http: { url: "http://x/" } }),
    "tools/kept.json": JSON.stringify({ description: "x", runs: "client", secrets: {} }),
    "tools/typed.json": toolFile({ output_schema: { type: "string" } }),
    "tools/broken.json": '{\n  "description": "x",\n}',
    "tools/shell.json": toolFile({ command: { argv: ["{{program}}"] } }),
    "tools/free.json": toolFile({ command: { argv: ["echo", "{{text}}"] } }),
    "tools/with-hyphen.json": toolFile(),
    "tools/keyed.json": toolFile({ secrets: { key: "secrets/none" } }),
    "tools/schema.json": toolFile({ parameters: { type: "string" } }),
    ".mcp.json": "bad",
  });
  const { catalog, problems } = await load();
  const found = Object.fromEntries(problems.map(({ path, message }) => [path, message]));
  t.match(found, {
    "agents/open-door.md": /^line 4: tool: unknown field/,
    "agents/other-name.md": /name: expected other-name as in the file name, got good/,
    "agents/Upper.md": /^line 2: name: expected lowercase letters/,
    "agents/coder.md": /^line 1: expected front matter/,
    "agents/default.md": /cannot be disabled/,
    "agents/latin.md": /expected UTF-8 text/,
    "agents/large.md": /expected at most 65536 bytes, got 10485760/,
    "agents/loud.md": /^line 4: permissions\.run_command: /,
    "skills/empty/SKILL.md": /the file does not exist/,
    "skills/double--hyphen/SKILL.md": /^line 2: name: expected lowercase letters/,
    "skills/long/SKILL.md": /^line 3: description: /,
    "tools/read_file.json": /reserved for a tool of the engine/,
    "tools/two.json": /expected one of command, http and runs/,
    "tools/kept.json": /secrets: a tool that the client runs has no such field/,
    "tools/typed.json": /output_schema: a tool has it only with runs: client/,
    "tools/broken.json": /invalid JSON: .*line 3/,
    "tools/shell.json": /command\.argv\.0: expected a program, without a placeholder/,
    "tools/free.json": /unknown placeholder {{text}}/,
    "tools/with-hyphen.json": /expected up to 64 letters/,
    "tools/keyed.json": /secrets\.key: the file secrets\/none does not exist/,
    "tools/schema.json": /parameters\.type: expected "object"/,
    ".mcp.json: x": "bad",
  });
  t.equal(problems.length, 22);
  t.ok(catalog.agents.has("good"));
  t.match(
    catalog.agents.get("coder")?.instructions,
    /You write programs/,
    "the shipped one stands in for the broken one",
  );
  t.ok(catalog.agents.has("default"));
});

t.test("links may not lead out of the folder, and pipes do not block", async (t) => {
  const bench = catalogBench(t, { "..data/agent.md": agentFile("linked"), "agents/plain.md": agentFile("plain") });
  const outside = join(bench.folder, "..", "outside");
  mkdirSync(join(outside, "away"), { recursive: true });
  writeFileSync(join(outside, "agent.md"), agentFile("leak"));
  writeFileSync(join(outside, "away/SKILL.md"), skillFile("away"));
  mkdirSync(join(bench.folder, "skills"));
  symlinkSync("../..data/agent.md", join(bench.folder, "agents/linked.md"));
  symlinkSync(join(outside, "agent.md"), join(bench.folder, "agents/leak.md"));
  symlinkSync("loop.md", join(bench.folder, "agents/loop.md"));
  symlinkSync("absent.md", join(bench.folder, "agents/nowhere.md"));
  symlinkSync(join(outside, "away"), join(bench.folder, "skills/away"));
  mkdirSync(join(bench.folder, "agents/folder.md"));
  execFileSync("mkfifo", [join(bench.folder, "agents/pipe.md")]);
  const { catalog, problems, warnings } = await bench.load();
  t.same(
    problems.map(({ path, message }) => `${path}: ${message}`),
    [
      "agents/leak.md: expected a file inside the catalog folder, got a link that leads out of it",
      "agents/loop.md: cannot be read (ELOOP)",
      "agents/nowhere.md: the file does not exist",
      "agents/pipe.md: expected a file",
      "skills/away/SKILL.md: expected a file inside the catalog folder, got a link that leads out of it",
    ],
  );
  t.match(warnings, [{ path: "agents/folder.md", message: /skipped: expected <name>\.md/ }]);
  t.ok(catalog.agents.has("linked"));
  t.ok(catalog.agents.has("plain"));
});

t.test("an invalid or oversized folder is reported", async (t) => {
  const { load, folder, write } = catalogBench(t, { agents: "a file" });
  t.match((await load()).problems, [{ path: "agents", message: "cannot be read (ENOTDIR)" }]);
  write("agents", null);
  for (let at = 0; at < 201; at++) write(`agents/a${at}.md`, agentFile(`a${at}`));
  t.match((await load()).problems, [{ path: "agents", message: /at most 200 entries, got 201/ }]);
  write("", null);
  writeFileSync(folder, "a file");
  t.ok((await load()).problems.length > 0);
});

t.test("a product's catalog is between the shipped one and the engine's own", async (t) => {
  const product = catalogBench(t, {
    "agents/clerk.md": agentFile("clerk", "", "The product's."),
    "agents/coder.md": agentFile("coder", "", "The product's."),
    "agents/planner.md": agentFile("planner", "disabled: true\n"),
    "skills/tables/SKILL.md": skillFile("tables"),
    "tools/say.json": toolFile({ secrets: { key: "secrets/key" } }),
    "tools/tell.json": toolFile(),
    "secrets/key": "s3",
    ".mcp.json": "{}",
    "agents/odd.md": agentFile("odd", "tools: [tel]\n"),
  });
  const { folder, load } = catalogBench(t, {
    "agents/coder.md": agentFile("coder", "", "The engine's."),
    "agents/planner.md": agentFile("planner", "", "The engine's."),
    "tools/tell.json": '{"disabled":true}',
    ".mcp.json": "{}",
  });
  const { catalog, problems, warnings } = await load(product.folder);
  t.same(problems, []);
  t.same(warnings, [{ path: "(product) agents/odd.md", message: "tools: unknown tool tel" }]);
  t.equal(catalog.agents.get("clerk")?.instructions, "The product's.");
  t.equal(catalog.agents.get("coder")?.instructions, "The engine's.");
  t.equal(catalog.agents.get("planner")?.instructions, "The engine's.");
  t.equal(catalog.skills.get("tables")?.folder, product.folder);
  t.equal(catalog.tools.get("say")?.folder, product.folder, "its secrets are in the product's folder");
  t.equal(catalog.tools.get("current_time")?.folder, null);
  t.notOk(catalog.tools.has("tell"));
  t.same(catalog.servers, { count: 2, texts: ["{}", "{}"] });
  product.write("agents/clerk.md", "nothing");
  product.write(".mcp.json", "bad");
  t.match((await load(product.folder)).problems, [
    { path: "(product) agents/clerk.md", line: 1 },
    { path: "(product) .mcp.json: x" },
  ]);
  t.not(folder, product.folder);
});

t.test("each fault of an entry is reported with its line", async (t) => {
  const { load } = catalogBench(t, {
    "agents/clerk.md":
      "---\nname: Clerk\ndescription: ''\npermissions:\n  read_file: maybe\n  run_command: never\n---\n",
    "agents/torn.md": "---\nname: torn\nname: torn\ndescription: [\n---\n",
    "tools/two.json": '{\n  "description": "x",\n  "timeout_s": 0,\n  "http": {\n    "url": 1,\n    "other": 2\n  }\n}',
    "tools/late.json":
      '{\n "description": "x",\n "name": "early",\n "parameters": {\n  "type": "string" },\n "command": {\n  "argv": ["echo",\n  "{{a}}", "{{b}}",\n  "{{secret:k}}"] },\n "secrets": {\n  "k": "secrets/none" }\n}',
    "tools/cut.json": '{\n  "description": "x",\n  "http": {\n',
    "tools/word.json": '{\n  "description": yes\n}',
  });
  const { problems } = await load();
  const found = problems.map(({ path, line, message }) => `${path}:${line} ${message.replace(/^line \d+: /, "")}`);
  const starts = [
    "agents/clerk.md:2 name: expected lowercase",
    "agents/clerk.md:3 description: expected at least 1",
    "agents/clerk.md:5 permissions.read_file: ",
    "agents/clerk.md:6 permissions.run_command: ",
    "agents/torn.md:3 invalid YAML: ",
    "agents/torn.md:5 invalid YAML: ",
    "tools/cut.json:4 invalid JSON: ",
    "tools/late.json:undefined name: expected late",
    'tools/late.json:5 parameters.type: expected "object"',
    "tools/late.json:8 unknown placeholder {{a}}",
    "tools/late.json:8 unknown placeholder {{b}}",
    "tools/late.json:9 {{secret:k}}: a secret is allowed in env only",
    "tools/two.json:3 timeout_s: ",
    "tools/two.json:5 http.url: expected a string",
    "tools/two.json:6 http.other: unknown field",
    "tools/word.json:2 invalid JSON: ",
  ];
  for (const [at, start] of starts.entries()) t.ok(found[at]?.startsWith(start), `${found[at]} begins with ${start}`);
  t.equal(found.length, starts.length, found.join("\n"));
});

t.test("a tool with an ambiguous {{user_id}}, or a placeholder in a script, is refused with its line", async (t) => {
  const { load } = catalogBench(t, {
    "tools/spoofed.json": `{"description": "x", "parameters": {"type": "object", "properties": {"user_id": {}}},
"http": {"url": "https://example.com/{{user_id}}"}}`,
    "tools/missing.json": `{"description": "x", "http": {"url": "https://example.com/{{user_name}}"}}`,
    "tools/shell.json": `{"description": "x",
"command": {"argv": ["env", "sh", "-ec",
"echo {{user_id}}"]}}`,
    "tools/python.json": `{"description": "x", "command": {"argv": ["/usr/bin/python3", "-cprint('{{user_id}}')"]}}`,
    "tools/fine.json": `{"description": "x", "command": {"argv": ["sh", "-c", "echo \\"$1\\"", "sh", "{{user_id}}"]}}`,
  });
  const { problems, catalog } = await load();
  t.match(
    problems.map(({ path, line, message }) => `${path}:${line} ${message.replace(/^line \d+: /, "")}`).toSorted(),
    [
      /^tools\/missing\.json:1 unknown placeholder \{\{user_name\}\}: expected user_id, engine_id/,
      /^tools\/python\.json:1 command\.argv\.1: a placeholder in a script would be run/,
      /^tools\/shell\.json:3 command\.argv\.3: a placeholder in a script would be run/,
      /^tools\/spoofed\.json:\d \{\{user_id\}\} is what the engine knows: expected another name for the parameter/,
    ],
  );
  t.equal(problems.length, 4);
  t.ok(catalog.tools.has("fine"));
});
