import t from "tap";
import { toolsFor } from "../../../src/engine/catalog/agent-file.ts";
import { testTool } from "../../helpers/engine-parts.ts";

const tool = (name: string, permission: "allow" | "ask" = "allow") =>
  testTool(name, () => Promise.resolve(1), { permission });
const all = [
  tool("read_file"),
  tool("write_file", "ask"),
  tool("mcp__a__x", "ask"),
  tool("mcp__a__y"),
  tool("mcp__b__z"),
];
const named = (tools: typeof all | readonly (typeof all)[number][]) =>
  tools.map(({ name, permission }) => `${name}:${permission}`);

t.test("an agent has the tools its file names, by default all", async (t) => {
  t.same(toolsFor({ tools: null, permissions: {} }, all), all);
  t.same(named(toolsFor({ tools: ["mcp__a__*", "read_file", "absent"], permissions: {} }, all)), [
    "read_file:allow",
    "mcp__a__x:ask",
    "mcp__a__y:allow",
  ]);
  t.same(toolsFor({ tools: [], permissions: {} }, all), []);
  t.same(toolsFor({ tools: ["*"], permissions: {} }, all), all);
});

t.test("denied tools are omitted, and the longest match counts", async (t) => {
  const permissions = {
    "*": "ask",
    "mcp__*": "deny",
    "mcp__a__*": "ask",
    mcp__a__y: "allow",
    write_file: "allow",
  } as const;
  t.same(named(toolsFor({ tools: null, permissions }, all)), [
    "read_file:ask",
    "write_file:allow",
    "mcp__a__x:ask",
    "mcp__a__y:allow",
  ]);
});

t.test("a sub-agent never has more permissions than its caller", async (t) => {
  const parent = toolsFor({ tools: ["read_file", "write_file"], permissions: { read_file: "ask" } }, all);
  const child = { tools: null, permissions: { "*": "allow" } } as const;
  t.same(named(toolsFor(child, parent, { neverAbove: true })), ["read_file:ask", "write_file:ask"]);
  t.same(toolsFor({ tools: null, permissions: { write_file: "deny" } }, parent, { neverAbove: true }), [parent[0]]);
});
