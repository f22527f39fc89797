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

const VERSION = {
  version: 3,
  digest: "d",
  bytes: 9,
  files: 1,
  restored_from: null,
  created_at: "2026-11-01T12:00:00.000Z",
  actor: "product",
};
const PUSHED = {
  ...VERSION,
  is_new: true,
  changes: { added: ["agents/a.md"], changed: [], removed: ["agents/b.md"] },
  warnings: [{ path: "notes", message: "not part of a catalog, ignored" }],
  engines: { running: 2, reloaded: 1, failed: [{ user_id: "alice", reason: "agents/x.md: line 1: wrong" }] },
};

async function withProduct(t: Test) {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const folder = t.testdir({ "core-soul.md": "Be brief.", agents: { "a.md": "A" }, ".git": { config: "secret" } });
  server.on("GET /catalog", { body: { ...VERSION, version: 2, files: [{ path: "agents/b.md" }] } });
  return { server, folder, run: (...args: string[]) => orchctl(["catalog", ...args], { env: KEYS }) };
}

t.test("a folder is pushed in place of the version that was current", async (t) => {
  const { server, folder, run } = await withProduct(t);
  server.on("PUT /catalog", { body: PUSHED });
  const pushed = await run("push", folder);
  t.equal(
    pushed.stdout,
    "+ agents/a.md\n- agents/b.md\nwarning: notes: not part of a catalog, ignored\nversion 3 is current\n" +
      "1 of 2 running engines use it; the others do from their next start\n" +
      "alice does not: agents/x.md: line 1: wrong\n",
  );
  const sent = server.calls.at(-1);
  t.match(sent?.headers, { "if-match": '"2"', "content-type": "application/gzip" });
  const dry = { ...PUSHED, version: 2, engines: null };
  server.on("PUT /catalog", { body: dry });
  t.match((await run("push", folder, "--dry-run")).stdout, /the catalog is valid; the current version is 2\n$/);
  const tried = { permission: "deny", path: "settings.yaml", line: 3, reason: "secret" };
  server.on("PUT /catalog", { body: { ...dry, tried } });
  const judged = await run("push", folder, "--dry-run", "--try", "read_file", '{"path":"a"}');
  t.match(judged.stdout, /^settings\.yaml:3 decides the call: deny \(secret\)$/m);
  server.on("PUT /catalog", { body: { ...dry, tried: null } });
  t.match((await run("push", folder, "--dry-run", "--try", "read_file")).stdout, /no rule decides the call/);
  t.match((await run("push", folder, "--dry-run", "--try", "read_file", "[]")).stderr, /--try: expected the input/);
  t.match((await run("push", folder, "--try", "read_file")).stderr, /together with --dry-run/);
  server.on("PUT /catalog", { body: { ...PUSHED, is_new: false, engines: { running: 0, reloaded: 0, failed: [] } } });
  t.match((await run("push", folder, "--if-version", "7")).stdout, /version 3 has these files already/);
  t.match(server.calls.at(-1)?.headers, { "if-match": '"7"' });
  const error = { code: "CATALOG_CHANGED", message: "the current version is 8" };
  server.on("PUT /catalog", { status: 412, body: { error } });
  t.equal((await run("push", folder)).code, 5);
});

t.test("each fault of a pushed catalog is printed", async (t) => {
  const { server, folder, run } = await withProduct(t);
  const errors = [
    { path: "agents/a.md", line: 1, message: "line 1: no front matter" },
    { path: "core-soul.md", line: 2, message: "line 2: unknown placeholder" },
  ];
  const error = { code: "CATALOG_INVALID", message: "agents/a.md: wrong", details: { errors } };
  server.on("PUT /catalog", { status: 422, body: { error } });
  const { code, stderr } = await run("push", folder);
  t.equal(code, 2);
  t.match(
    stderr,
    "orchctl: the catalog is invalid; nothing was changed:\n  agents/a.md: line 1: no front matter\n  core-soul.md: line 2: ",
  );
  t.match(await run("push", t.testdir({})), { code: 2, stderr: /has no file of a catalog/ });
  t.match(await run("push", "/nonexistent"), { code: 2, stderr: /cannot be read/ });
  t.match(await run("push", t.testdir({ link: t.fixture("symlink", "/etc/passwd") })), {
    code: 2,
    stderr: /got a link/,
  });
});

t.test("the difference of a folder, the history and a rollback are printed", async (t) => {
  const { server, folder, run } = await withProduct(t);
  t.equal((await run("diff", folder)).stdout, "+ agents/a.md\n+ core-soul.md\n- agents/b.md\n");
  const versions = [{ ...VERSION, restored_from: 1 }];
  server.on("GET /catalog/history", { body: { versions } });
  t.match((await run("history")).stdout, /^3 +2026-11-01T12:00:00.000Z +1 +9 +product +of version 1$/m);
  server.on("POST /catalog/rollback", { body: { ...PUSHED, restored_from: 1 } });
  t.match((await run("rollback", "1")).stdout, /version 3 is current, with the files of version 1/);
  t.match(await run("rollback", "first"), { code: 2 });
});
