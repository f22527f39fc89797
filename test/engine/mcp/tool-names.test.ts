import t from "tap";
import { toolName } from "../../../src/engine/mcp/tool-names.ts";

t.test("a valid name is unchanged", async (t) => {
  t.equal(toolName("memory", "read_graph"), "mcp__memory__read_graph");
  t.equal(toolName("my-server", "get-sum"), "mcp__my-server__get-sum");
});

t.test("every name is valid for all providers and unique for its pair", async (t) => {
  const odd = ["a", "a_", "_a", "a__b", "b", "ä", "a b", "a/b", "a.b", "x".repeat(64), `${"x".repeat(63)}y`, "😀", ""];
  const names = new Set<string>();
  for (const server of odd.filter((name) => name !== ""))
    for (const tool of [...odd, "b__c", "c", "b_0a1b2c3d"]) {
      const name = toolName(server, tool);
      t.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      t.notOk(names.has(name), `${server} / ${tool}`);
      names.add(name);
    }
  t.equal(toolName("a b", "c"), toolName("a b", "c"), "always the same");
});
