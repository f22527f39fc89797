import t from "tap";
import { DELEGATE } from "../../src/engine/agent/delegate-tool.ts";
import { TOOL_SEARCH } from "../../src/engine/agent/tool-search.ts";
import { parseAgent } from "../../src/engine/catalog/agent-file.ts";
import { USE_SKILL } from "../../src/engine/catalog/catalog.ts";
import { parseCoreSoul } from "../../src/engine/catalog/core-soul.ts";
import { SHIPPED_AGENTS } from "../../src/engine/catalog/defaults/agents.ts";
import { parseDeclaredTool } from "../../src/engine/catalog/tool-file.ts";
import { parseToolServers } from "../../src/engine/mcp/server-config.ts";
import { ENGINE_TOOLS, SEARCH_KNOWLEDGE, SUBMIT_RESULT } from "../../src/contract/engine/tool-names.ts";
import { formatHostPattern, readHostPattern } from "../../src/sandbox/proxy/host-pattern.ts";
import { proxyEnvironment } from "../../src/sandbox/proxy/proxy-environment.ts";
import { PERMISSION_OPTIONS } from "../../src/engine/tools/authorize.ts";
import { documentText, namesIn, tableIs } from "./documents.ts";
import { BUILT_IN_TOOLS } from "../helpers/built-in-tools.ts";
import { entryContext } from "../helpers/command-host.ts";

const FILE = "docs/catalog.md";
const blocks = (language: string) =>
  [...documentText(FILE).matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

t.test("the names of built-in tools, which a catalog cannot use, are those of the code", async (t) => {
  t.same(
    Object.keys(ENGINE_TOOLS).sort(),
    [
      ...BUILT_IN_TOOLS.map(({ name }) => name),
      DELEGATE,
      SEARCH_KNOWLEDGE,
      SUBMIT_RESULT,
      TOOL_SEARCH,
      USE_SKILL,
    ].sort(),
    "ENGINE_TOOLS of src/contract/engine/tool-names.ts (actual) has the tools of built-in-tools.ts (expected)",
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
    always_load: true,
    disabled: false,
  };
  const ofClient = { runs: "client", output_schema: { type: "string" } };
  const names = namesIn(FILE, "tool fields");
  t.same([...names].sort(), [...Object.keys(values), ...Object.keys(ofClient), "http"].sort());
  t.ok(parseDeclaredTool("x", JSON.stringify({ description: "x", ...ofClient })));
  for (const [name, value] of Object.entries(values))
    t.ok(parseDeclaredTool("x", JSON.stringify({ ...base, [name]: value })), name);
  t.throws(() => parseDeclaredTool("x", JSON.stringify({ ...base, nonsense: 1 })), { message: /nonsense/ });
});

t.test("the examples are valid", async (t) => {
  const [http = "", command = "", knowing = "", servers = ""] = blocks("json");
  t.equal(parseDeclaredTool("weather", http)?.action.kind, "http");
  t.equal(parseDeclaredTool("convert", command)?.action.kind, "command");
  t.equal(parseDeclaredTool("order", knowing)?.action.kind, "http");
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
