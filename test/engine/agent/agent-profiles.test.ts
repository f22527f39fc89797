import t, { type Test } from "tap";
import { AllowedAgentsAndTools } from "../../../src/engine/agent/allowed-agents-and-tools.ts";
import { catalogProfiles } from "../../../src/engine/agent/agent-profiles.ts";
import { rankByWords } from "../../../src/engine/store/word-index.ts";
import { joinedRegistry } from "../../../src/engine/tools/registry.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { testTool } from "../../helpers/engine-parts.ts";
import { agentFile, catalogBench, skillFile, toolFile } from "../catalog/catalog-bench.ts";

const tool = (name: string) => testTool(name, () => Promise.resolve(name));

async function profilesOf(t: Test, files: Readonly<Record<string, string>>, own: { tools: readonly Tool[] }) {
  const bench = catalogBench(t, files);
  const catalog = await bench.live();
  const allowed = new AllowedAgentsAndTools();
  const profiles = catalogProfiles({
    now: () => catalog,
    registry: joinedRegistry([{ tools: () => own.tools }, catalog]),
    allowed,
    toolLimits: () => ({ maxTools: 128, maxTokens: 100_000, shownTokens: 20_000 }),
    rankByWords,
    models: { main: "m", planner: "p", light: "l" },
    userId: "{{product}}",
    product: "shop",
  });
  return { catalog, profiles, allowed, write: bench.write };
}

t.test("system prompt and tools are byte-identical between calls until a reload", async (t) => {
  const own = { tools: [tool("look")] };
  const files = {
    "agents/scribe.md": agentFile("scribe"),
    "core-soul.md": "For {{user_id}} of {{product}}:\n{{agents}}\n{{skills}}",
  };
  const { catalog, profiles, write } = await profilesOf(t, files, own);
  const first = profiles.ofAgent("default");
  t.equal(profiles.ofAgent("default"), first);
  t.match(first.system, /^For \{\{product\}\} of shop:\n- coder: .*\n- planner: /);
  t.match(first.system, /\n- analyse-data: .*\n- find-a-fault: .*\n- research-report: /);
  t.notMatch(first.system, /- default/);
  t.same(
    first.registry.modelTools.map(({ name }) => name),
    ["current_time", "delegate", "look", "use_skill"],
  );
  await catalog.reload();
  const again = profiles.ofAgent("default");
  t.same(
    JSON.stringify([again.system, again.registry.modelTools]),
    JSON.stringify([first.system, first.registry.modelTools]),
  );
  write("skills/new-one/SKILL.md", skillFile("new-one"));
  write("tools/say.json", toolFile());
  await catalog.reload();
  t.match(profiles.ofAgent("default").system, /- new-one: For new-one\./);
  t.ok(profiles.ofAgent("default").registry.get("say"));
  t.notOk(first.registry.get("say"), "who has the old profile keeps its tools");
  own.tools = [tool("look"), tool("late")];
  t.ok(profiles.ofAgent("default").registry.get("late"), "a tool server's new tool is there at the next call");
});

t.test("the client's tools are for the turn, under the permissions of the agent's file", async (t) => {
  const files = {
    "agents/strict.md": agentFile("strict", "tools: [look]\npermissions: {pick: ask, drop: deny}\n"),
    "tools/say.json": toolFile(),
  };
  const { profiles } = await profilesOf(t, files, { tools: [tool("look")] });
  const given = ["pick", "drop", "say"].map((name) => ({
    name,
    description: name,
    input_schema: { type: "object" },
  }));
  const strict = profiles.ofAgent("strict", { clientTools: given });
  t.equal(profiles.ofAgent("strict", { clientTools: given }), strict, "made once for a turn");
  t.same(
    strict.registry.tools.map(({ name, permission, runsOnClient = false }) => [name, permission, runsOnClient]),
    [
      ["look", "allow", false],
      ["pick", "ask", true],
    ],
  );
  const all = profiles.ofAgent("default", { clientTools: given }).registry;
  t.match([all.get("pick"), all.get("drop")], [{ permission: "allow", runsOnClient: true }, { runsOnClient: true }]);
  t.notOk(all.get("say")?.runsOnClient, "a tool of the catalog keeps its name");
  t.notOk(profiles.ofAgent("default").registry.get("pick"));
  t.notOk(profiles.toolNamed("pick"), "so that what it returns counts as external");
});

t.test("an agent's file selects its model, and a removed agent falls back to the default", async (t) => {
  const files = {
    "agents/quick.md": agentFile("quick", "model: light\ntools: [look]\n"),
    "agents/exact.md": agentFile("exact", "model: some/model-7\n"),
  };
  const { catalog, profiles, write } = await profilesOf(t, files, { tools: [tool("look"), tool("other")] });
  t.match(profiles.ofAgent("default"), { model: "m" });
  t.match(profiles.ofAgent("planner"), { model: "p", system: /You make plans/ });
  t.match(profiles.ofAgent("exact"), { model: "some/model-7" });
  const quick = profiles.ofAgent("quick");
  t.match(quick, { model: "l", system: /# Other agents\n\n[^\n]*\n\(none\)\n[\s\S]*I am quick\.$/ });
  t.same(
    quick.registry.tools.map(({ name }) => name),
    ["look"],
  );
  write("agents/quick.md", null);
  await catalog.reload();
  t.equal(profiles.ofAgent("quick").model, "m");
  t.equal(profiles.ofAgent("quick").system, profiles.ofAgent("default").system);
});

t.test("with very many skills, the prompt keeps all names and shortens descriptions", async (t) => {
  const names = Array.from({ length: 150 }, (_, at) => `skill-${at}`);
  const text = (name: string) => `---\nname: ${name}\ndescription: ${"word ".repeat(200)}\n---\n`;
  const files = Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, text(name)]));
  const { profiles } = await profilesOf(t, { ...files, "core-soul.md": "{{skills}}" }, { tools: [] });
  const { system } = profiles.ofAgent("default");
  t.same(
    names.filter((name) => !system.includes(`- ${name}: word`)),
    [],
  );
  t.ok(system.length < 21_000, `${system.length} characters`);
});

t.test("a change of the policy's agents and tools holds from the next call of a model", async (t) => {
  const own = { tools: [tool("look"), tool("find"), tool("mcp__pages__read"), tool("mcp__pages__write")] };
  const { profiles, allowed } = await profilesOf(t, { "agents/scribe.md": agentFile("scribe") }, own);
  const namesOf = (agent: string) => profiles.ofAgent(agent).registry.modelTools.map(({ name }) => name);
  const before = profiles.ofAgent("scribe");
  allowed.setPolicy({ agents: ["scribe"], tools: ["look", "mcp__pages__re*", "delegate"] });
  t.same(namesOf("default"), ["delegate", "look", "mcp__pages__read"]);
  const { system, registry } = profiles.ofAgent("default");
  t.match(system, /- scribe: /);
  t.notMatch(system, /- coder: /);
  t.notMatch(system, /- analyse-data: /, "skills cannot be read without their tool");
  t.same(registry.get("delegate")?.input.check({ agent: "coder", task: "go" }).kind, "invalid");
  t.same(
    profiles.ofSubAgent("scribe", "default").registry.tools.map(({ name }) => name),
    ["look", "mcp__pages__read"],
  );
  t.match(
    allowed.problemOf("coder"),
    /^the product's policy does not allow the agent coder; it allows default, scribe$/,
  );
  t.equal(allowed.problemOf("default"), null, "the default agent needs no leave");
  t.not(profiles.toolNamed("find"), undefined, "what was called before is still known");
  allowed.setPolicy({ agents: [], tools: [] });
  t.same(namesOf("default"), []);
  t.equal(profiles.ofAgent("scribe").system, profiles.ofAgent("default").system, "another agent takes its place");
  allowed.setPolicy({ agents: null, tools: null });
  t.equal(profiles.ofAgent("scribe").system, before.system);
});
