import t, { type Test } from "tap";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: "sk-orch-of-the-test" };
const SHOWN = {
  agents: [{ name: "helper", description: "Helps\nwith all" }],
  skills: [{ name: "report", description: "Writes reports" }],
  tools: [],
  errors: [],
  warnings: [{ path: "agents/helper.md", message: "tools: unknown tool nap" }],
};

async function withEngine(t: Test) {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const orchctl = orchctlFor(t, server);
  return { server, run: (...args: string[]) => orchctl(args, { env: KEYS }) };
}

t.test("the catalog is listed, and validated without a change", async (t) => {
  const { server, run } = await withEngine(t);
  server.on("GET /assets/catalog", { body: SHOWN });
  t.match(
    (await run("catalog", "list", "alice")).stdout,
    /^helper +agent +Helps with all\nreport +skill +Writes reports$/m,
  );
  const valid = await run("catalog", "validate", "alice");
  t.equal(valid.code, 0, valid.stderr);
  t.equal(valid.stdout, "the catalog is valid\nwarning: agents/helper.md: tools: unknown tool nap\n");
  server.on("GET /assets/catalog", { body: { ...SHOWN, errors: [{ path: "tools/x.json", message: "no JSON" }] } });
  const wrong = await run("catalog", "validate", "alice");
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, "orchctl: the catalog is invalid; a reload would be refused:\n  tools/x.json: no JSON\n");
});

t.test("a reload takes the core soul too, and a refusal names every file", async (t) => {
  const { server, run } = await withEngine(t);
  const counts = { agents: 1, skills: 2, tools: 3, servers: 4, errors: [], warnings: [] };
  server.on("POST /admin/reload-catalog", { body: counts });
  server.on("POST /admin/reload-core-soul", { body: { hash: "h", bytes: 7 } });
  const done = await run("catalog", "reload", "alice", "--json");
  t.same(JSON.parse(done.stdout), { ...counts, core_soul: { hash: "h", bytes: 7 } });
  const errors = [
    { path: "agents/a.md", message: "no name" },
    { path: "skills/b", message: "no description" },
  ];
  server.on("POST /admin/reload-catalog", {
    status: 422,
    body: { error: "CATALOG_INVALID", message: "two faults", details: { errors } },
  });
  const refused = await run("catalog", "reload", "alice");
  t.equal(refused.code, 2);
  t.match(refused.stderr, "the old one stays:\n  agents/a.md: no name\n  skills/b: no description\n");
});

t.test("tools are listed with what is held, and allowed by the definition that was seen", async (t) => {
  const { server, run } = await withEngine(t);
  const definition = { description: "Reads a file", read_only: true, definition: "hash-old" };
  const now = { ...definition, description: "Reads any file", definition: "hash-new", input_schema: {} };
  const tool = { ...definition, name: "mcp__files__read", tool: "read", permission: "ask", status: "held" };
  const held = { ...tool, reason: "its definition changed", held: { was: { ...definition, input_schema: {} }, now } };
  const broken = { name: "web", transport: "http", status: "failed", tools: [], error: "connection refused" };
  server.on("GET /assets/servers", {
    body: { servers: [{ name: "files", transport: "stdio", status: "held", tools: [held] }, broken] },
  });
  server.on("POST /assets/servers/allow", { body: { allowed: true } });
  const { stdout } = await run("tools", "list", "alice");
  t.match(stdout, /^read +held +ask +files\n- +failed +- +web\nfiles read: its definition changed\n/m);
  t.match(stdout, "  was: Reads a file\n  now: Reads any file\nweb: connection refused\n");
  t.equal((await run("tools", "allow", "alice", "files", "read")).stdout, "read of files is allowed\n");
  t.same(server.calls.at(-1)?.body, { server: "files", tool: "read", definition: "hash-new" });
  t.equal((await run("tools", "allow", "alice", "files")).code, 0);
  t.same(server.calls.at(-1)?.body, { server: "files" });
  const none = await run("tools", "allow", "alice", "files", "write");
  t.equal(none.code, 4);
  t.match(none.stderr, "files has no held tool write; held: read");
});
