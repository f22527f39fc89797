import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { agentFile, skillFile, toolFile } from "../catalog/catalog-bench.ts";

async function startWith(t: Test, files: Readonly<Record<string, string>> = {}) {
  const dataDir = freshFolder(t);
  const write = (path: string, content: string) => {
    const place = join(dataDir, "catalog", path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const engine = await startEngine(t, { dataDir });
  // Health answers before the catalog is read.
  await engine.call("/hitl/pending");
  const reload = (what: "catalog" | "core-soul") => engine.call(`/admin/reload-${what}`, { method: "POST" });
  return { engine, write, reload, remove: (path: string) => rmSync(join(dataDir, "catalog", path)) };
}

t.test("a catalog is reloaded as a whole or not at all", async (t) => {
  const { engine, write, reload } = await startWith(t);
  t.same((await reload("catalog")).body, { agents: 5, skills: 3, tools: 1, servers: 0, errors: [], warnings: [] });
  write("agents/lawyer.md", agentFile("lawyer"));
  write("agents/broken.md", "---\nname: broken\ndescription: [\n---\n");
  write("tools/read_file.json", toolFile());
  const refused = await reload("catalog");
  t.match(refused, {
    status: 422,
    body: { error: "CATALOG_INVALID", message: /agents\/broken\.md: line 4: .* and 1 more/ },
  });
  t.match(refused.body.details.errors, [
    { path: "agents/broken.md" },
    { path: "tools/read_file.json", message: /reserved for a tool/ },
  ]);
  const unknown = { method: "POST", body: { task_id: "a", message: "/say hi", agent: "lawyer" } };
  t.match(await engine.call("/execute", unknown), { status: 404, body: { error: "NOT_FOUND" } });
  write("agents/broken.md", agentFile("broken"));
  write("tools/read_file.json", toolFile({ disabled: true }));
  t.match((await reload("catalog")).status, 422, "nor under a built-in name when it is switched off");
  rmSync(join(engine.dataDir, "catalog/tools"), { recursive: true });
  t.match(await reload("catalog"), { status: 200, body: { agents: 7, errors: [] } });
  t.match((await engine.turn("a", "/say hi", { agent: "lawyer" })).at(-1)?.data, { phase: "completed" });
});

t.test("an engine starts with a broken catalog, and says in its log what it left out", async (t) => {
  const { engine, reload } = await startWith(t, {
    "agents/broken.md": "nothing",
    "agents/fine.md": agentFile("fine"),
    "core-soul.md": "{{who}}",
  });
  t.match((await engine.turn("a", "/say hi", { agent: "fine" })).at(-1)?.data, { phase: "completed" });
  t.match(engine.output(), /"path":"agents\/broken\.md"/);
  t.match(engine.output(), /"path":"core-soul\.md".*unknown placeholder/);
  t.match(await reload("catalog"), { status: 422, body: { details: { errors: [{ path: "agents/broken.md" }] } } });
});

t.test("health reports the core soul's hash, which changes with a valid one only", async (t) => {
  const { engine, write, reload, remove } = await startWith(t);
  const hash = async () => (await ask(engine.url, "/health")).body.core_soul_hash;
  const shipped = await until("the engine is whole", async () => (await hash()) ?? undefined);
  t.match(shipped, /^[0-9a-f]{64}$/);
  write("core-soul.md", "You serve {{user_id}} of {{product}}.\n");
  t.equal(await hash(), shipped, "not before it is reloaded");
  const answer = await reload("core-soul");
  t.same(answer.body, { hash: sha256("You serve {{user_id}} of {{product}}.\n"), bytes: 38 });
  t.equal(await hash(), answer.body.hash);
  write("core-soul.md", "one\n{{date}}");
  t.match(await reload("core-soul"), {
    status: 422,
    body: {
      error: "CORE_SOUL_INVALID",
      details: { errors: [{ path: "core-soul.md", message: /^line 2: unknown placeholder {{date}}/ }] },
    },
  });
  t.equal(await hash(), answer.body.hash);
  remove("core-soul.md");
  t.match((await reload("core-soul")).body, { hash: shipped });
});

t.test("a turn takes new tools at its next model call, and never in the middle of one", async (t) => {
  const { engine, write, reload } = await startWith(t, { "tools/greet.json": toolFile({ permission: "allow" }) });
  const turn = await engine.execute({
    task_id: "a",
    message: "/slow 500\n/tool greet {}\n/say then\n/tool greet {}",
  });
  await turn.first("thread_lifecycle");
  rmSync(join(engine.dataDir, "catalog/tools/greet.json"));
  write("skills/extra/SKILL.md", skillFile("extra"));
  t.match((await reload("catalog")).body, { skills: 4, tools: 1 });
  const events = await turn.all();
  t.match(
    events.filter(({ event }) => event === "tool_result").map(({ data }) => data),
    [{ tool: "greet", output: "hello\n", error: null }],
    "the call that was asked for with the old tools runs",
  );
  t.match(events.at(-1)?.data, { phase: "completed" });
});

t.test("a repeated call finds its turn though its agent is gone", async (t) => {
  const { engine, reload, remove } = await startWith(t, { "agents/temp.md": agentFile("temp") });
  const headers = { "idempotency-key": "gone" };
  const body = { task_id: "gone", message: "/say hi", agent: "temp" };
  const first = await engine.execute(body, { headers });
  await first.all();
  remove("agents/temp.md");
  await reload("catalog");
  const again = await engine.execute(body, { headers });
  t.equal(again.headers["x-turn-id"], first.headers["x-turn-id"]);
  await again.all();
  t.equal((await engine.execute({ ...body, task_id: "new" })).status, 404);
});

t.test("tool servers are read with the catalog, and refused with it", async (t) => {
  const { engine, write, reload } = await startWith(t);
  write(".mcp.json", '{"mcpServers":{"good":{"command":"true"},"bad":{"url":"ftp://x"}}}');
  const refused = await reload("catalog");
  t.match(refused, { status: 422, body: { error: "CATALOG_INVALID" } });
  t.match(refused.body.details.errors, [{ path: ".mcp.json", message: /^mcpServers\.bad\.url: / }]);
  t.same((await engine.call("/assets/servers")).body, { servers: [] }, "none of them is started");
  write(".mcp.json", '{"mcpServers":{"good":{"command":"true"}}}');
  t.match(await reload("catalog"), { status: 200, body: { servers: 1 } });
  t.match((await engine.call("/assets/servers")).body, { servers: [{ name: "good" }] });
  write(".mcp.json", "{");
  t.match((await reload("catalog")).status, 422);
  t.match((await engine.call("/assets/servers")).body, { servers: [{ name: "good" }] });
});

t.test("a hundred reloads at once all answer", async (t) => {
  const { engine, write } = await startWith(t);
  write("agents/more.md", agentFile("more"));
  const call = (at: number) =>
    engine.call(at % 2 ? "/admin/reload-catalog" : "/admin/reload-core-soul", { method: "POST" });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => call(at)));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  t.match(answers[1]?.body, { agents: 6 });
});

t.test("the admin calls want the key and POST", async (t) => {
  const { engine } = await startWith(t);
  for (const path of ["/admin/reload-catalog", "/admin/reload-core-soul"]) {
    t.equal((await ask(engine.url, path, { method: "POST" })).status, 401);
    t.match(await engine.call(path), { status: 405, headers: { allow: "POST" } });
    t.equal((await engine.call(path, { body: { anything: 1 } })).status, 200);
  }
});
