import t from "tap";
import { toolName } from "../../../src/engine/mcp/tool-definition.ts";

t.test("a valid name is unchanged", async (t) => {
  t.equal(toolName("memory", "read_graph"), "mcp__memory__read_graph");
  t.equal(toolName("my-server", "get-sum"), "mcp__my-server__get-sum");
});

t.test("every name is valid for all providers and unique for its pair", async (t) => {
  const odd = ["a", "a_", "_a", "a__b", "b", "ä", "a b", "a/b", "a.b", "x".repeat(64), `${"x".repeat(63)}y`, "😀", ""];
  const tools = [...odd, "b__c", "c", "b_0a1b2c3d"];
  const names = odd
    .filter((name) => name !== "")
    .flatMap((server) => tools.map((tool) => ({ server, tool, name: toolName(server, tool) })));
  t.same(
    names.filter(({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name)),
    [],
  );
  const shared = [...Map.groupBy(names, ({ name }) => name).values()].filter((pairs) => pairs.length > 1);
  t.same(shared, []);
  t.equal(toolName("a b", "c"), toolName("a b", "c"), "always the same");
});
