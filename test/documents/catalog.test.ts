import t from "tap";
import { DELEGATE } from "../../src/engine/agent/delegate-tool.ts";
import { parseAgent } from "../../src/engine/catalog/agent-file.ts";
import { USE_SKILL } from "../../src/engine/catalog/catalog.ts";
import { parseCoreSoul } from "../../src/engine/catalog/core-soul.ts";
import { SHIPPED_AGENTS } from "../../src/engine/catalog/defaults/agents.ts";
import { shippedEntries } from "../../src/engine/catalog/defaults/shipped.ts";
import { parseDeclaredTool } from "../../src/engine/catalog/tool-file.ts";
import { parseToolServers } from "../../src/engine/mcp/server-config.ts";
import { ENGINE_TOOLS } from "../../src/contract/engine-tools.ts";
import { formatHostPattern, readHostPattern } from "../../src/contract/host-pattern.ts";
import { proxyEnvironment } from "../../src/engine/isolation/network/proxy-environment.ts";
import { PERMISSION_OPTIONS } from "../../src/engine/tools/authorize.ts";
import { type BuiltInParts, builtInTools } from "../../src/engine/tools/built-in-tools.ts";
import { documentText, namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";
import { commandHost, entryContext } from "../helpers/command-host.ts";

const FILE = "docs/catalog.md";
const blocks = (language: string) =>
  [...documentText(FILE).matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

t.test("the built-in tools are those of the code, both ways, with their permission", async (t) => {
  const builtIn = builtInTools({ commands: commandHost(), memory: {} } as BuiltInParts);
  const declared = [...shippedEntries().tools.values()];
  const names: string[] = [...builtIn, ...declared].map(({ name }) => name).concat(DELEGATE, USE_SKILL);
  const shown = namesIn(FILE, "tools");
  t.same([...shown].sort(), names.sort(), tableIs(FILE, "tools", "src/engine/tools/built-in-tools.ts"));
  t.same(
    [...ENGINE_TOOLS].sort(),
    [...builtIn.map(({ name }) => name), DELEGATE, USE_SKILL].sort(),
    "ENGINE_TOOLS of src/contract/engine-tools.ts (actual) has the tools of built-in-tools.ts (expected)",
  );
  const asking: string[] = [...builtIn, ...declared]
    .filter(({ permission }) => permission === "ask")
    .map(({ name }) => name);
  const shownAsking = tableRows(FILE, "tools").filter(([, , asks]) => asks === "yes");
  t.same(
    shownAsking.map(([name]) => withoutBackticks(name)).sort(),
    asking.sort(),
    `"asks first" in the table "tools" of ${FILE} is yes for tools with permission: "ask"`,
  );
});

t.test("the options of a permission prompt are those of the code, both ways", async (t) => {
  t.same(
    namesIn(FILE, "permission options"),
    PERMISSION_OPTIONS,
    tableIs(FILE, "permission options", "src/engine/tools/authorize.ts"),
  );
});

t.test("the agents are those that ship, both ways", async (t) => {
  t.same(
    namesIn(FILE, "agents"),
    SHIPPED_AGENTS.map(({ name }) => name),
    tableIs(FILE, "agents", "src/engine/catalog/defaults/agents.ts"),
  );
});

t.test("the placeholders of a core soul are those of the code, both ways", async (t) => {
  const names = namesIn(FILE, "placeholders");
  parseCoreSoul(names.join(" "));
  const known = names.map((name) => name.replaceAll(/[{}]/g, "")).join(", ");
  t.throws(() => parseCoreSoul("{{nobody}}"), {
    message: `line 1: unknown placeholder {{nobody}}; expected one of ${known}`,
  });
});

t.test("the fields of a declared tool are those of the code, both ways", async (t) => {
  const base = { description: "x", command: { argv: ["true"] } };
  const values: Readonly<Record<string, unknown>> = {
    description: "x",
    parameters: { type: "object" },
    command: { argv: ["true"] },
    secrets: {},
    permission: "ask",
    read_only: true,
    timeout_s: 1,
    disabled: false,
  };
  const names = namesIn(FILE, "tool fields");
  t.same([...names].sort(), [...Object.keys(values), "http"].sort());
  for (const [name, value] of Object.entries(values))
    t.ok(parseDeclaredTool("x", JSON.stringify({ ...base, [name]: value })), name);
  t.throws(() => parseDeclaredTool("x", JSON.stringify({ ...base, nonsense: 1 })), { message: /nonsense/ });
});

t.test("the examples are valid", async (t) => {
  const [http = "", command = "", servers = ""] = blocks("json");
  t.equal(parseDeclaredTool("weather", http)?.action.kind, "http");
  t.equal(parseDeclaredTool("convert", command)?.action.kind, "command");
  t.match(parseToolServers(servers, entryContext()), { servers: { length: 2 }, errors: { length: 0 } });
  const [agent = ""] = blocks("markdown");
  t.match(await parseAgent("translator", agent), { model: "light", permissions: { write_file: "allow" } });
  const deny = /```yaml\n([^]*?)```/.exec(documentText("SECURITY.md"))?.[1] ?? "";
  t.match(await parseAgent("default", deny), { permissions: { run_command: "deny" } });
});

t.test("the shown entries of tool_network are valid, in the form in which they are stored", async (t) => {
  const entries = [...namesIn(FILE, "tool network")];
  t.ok(entries.length > 5);
  for (const entry of entries) {
    const { pattern, problem } = readHostPattern(entry);
    t.equal(pattern && formatHostPattern(pattern), entry, problem ?? entry);
  }
});

t.test("the variables that lead tools to the proxy are those of the code", async (t) => {
  const text = documentText(FILE);
  const names = Object.keys(proxyEnvironment({ port: 1, token: "t" }, { isLoopbackDirect: false }));
  const shown = names.filter((name) => name !== name.toLowerCase() || name.startsWith("npm_"));
  t.same(
    shown.filter((name) => !text.includes(`\`${name}\``)),
    ["GIT_HTTP_PROXY_AUTHMETHOD"],
    "git reads the others; this one saves it a request",
  );
});
