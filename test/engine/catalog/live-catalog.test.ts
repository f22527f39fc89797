import t from "tap";
import { sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { SHIPPED_CORE_SOUL } from "../../../src/engine/catalog/core-soul.ts";
import { sharedRuns } from "../../../src/shared/shared-runs.ts";
import { agentFile, catalogBench, toolFile } from "./catalog-bench.ts";

t.test("a reload is atomic", async (t) => {
  const { live, write } = catalogBench(t, { "agents/first.md": agentFile("first") });
  const servers: (readonly string[])[] = [];
  const catalog = await live({ onServers: (texts) => servers.push(texts) });
  const before = { catalog: catalog.catalog, tools: catalog.tools() };
  write("agents/second.md", agentFile("second"));
  write("tools/say.json", "{");
  write(".mcp.json", "{}");
  t.match(await catalog.reload(), { kind: "refused", problems: [{ path: "tools/say.json" }] });
  t.equal(catalog.catalog, before.catalog);
  t.equal(catalog.tools(), before.tools);
  t.same(servers, [[]]);
  write("tools/say.json", toolFile());
  t.same(await catalog.reload(), {
    kind: "reloaded",
    answer: { agents: 7, skills: 3, tools: 2, servers: 1, errors: [], warnings: [] },
  });
  t.ok(catalog.catalog.agents.has("second"));
  t.ok(catalog.tools().some(({ name }) => name === "say"));
  t.notOk(before.catalog.agents.has("second"), "who holds the old one keeps it as it was");
  t.same(servers, [[], ["{}"]]);
});

t.test("start-up skips invalid entries, and a reload reports them", async (t) => {
  const { live, write } = catalogBench(t, { "agents/bad.md": "?", "core-soul.md": "{{nobody}}" });
  const catalog = await live();
  t.ok(catalog.catalog.agents.has("default"));
  t.equal(catalog.soul.hash, sha256(SHIPPED_CORE_SOUL));
  t.match(await catalog.reload(), { kind: "refused", problems: [{ path: "agents/bad.md" }] });
  t.match(await catalog.reloadSoul(), {
    kind: "refused",
    problems: [{ path: "core-soul.md", message: /^line 1: unknown placeholder {{nobody}}/ }],
  });
  write("core-soul.md", "I serve {{user_id}}.");
  t.same(await catalog.reloadSoul(), {
    kind: "reloaded",
    answer: { hash: sha256("I serve {{user_id}}."), bytes: 20 },
  });
  t.equal(catalog.soul.template, "I serve {{user_id}}.");
  write("core-soul.md", Buffer.alloc(70_000, 0x61));
  t.match(await catalog.reloadSoul(), { kind: "refused" });
  t.equal(catalog.soul.template, "I serve {{user_id}}.");
  write("core-soul.md", null);
  t.match(await catalog.reloadSoul(), { kind: "reloaded", answer: { hash: sha256(SHIPPED_CORE_SOUL) } });
});

t.test("a hundred concurrent reloads run twice, and each caller sees the state at its call", async (t) => {
  const { live, write, parts } = catalogBench(t);
  let reads = 0;
  const checkServers: typeof parts.checkServers = ([text]) => ({ count: Number(text), problems: [[]] });
  write(".mcp.json", "1");
  const catalog = await live({ checkServers: (texts) => (reads++, checkServers(texts)) });
  const first = Array.from({ length: 50 }, () => catalog.reload());
  write(".mcp.json", "2");
  const rest = Array.from({ length: 50 }, () => catalog.reload());
  for (const outcome of await Promise.all(rest)) t.match(outcome, { answer: { servers: 2 } });
  await Promise.all(first);
  t.ok(reads <= 3, `${reads - 1} readings for 100 reloads`);
});

t.test("a failed run rejects for its callers, and the next one still starts", async (t) => {
  let runs = 0;
  let open = Promise.withResolvers<void>();
  const shared = sharedRuns(async () => {
    const run = ++runs;
    await open.promise;
    if (run === 1) throw new Error("first");
    return run;
  });
  const first = shared();
  await new Promise(setImmediate);
  const [second, third] = [shared(), shared()];
  open.resolve();
  await t.rejects(first, { message: "first" });
  t.equal(await second, 2);
  t.equal(await third, 2);
  open = Promise.withResolvers<void>();
  open.resolve();
  t.equal(await shared(), 3);
});

t.test("a version of the product's catalog is used whole or not at all", async (t) => {
  const first = catalogBench(t, { "agents/clerk.md": agentFile("clerk"), "core-soul.md": "One." });
  const second = catalogBench(t, { "agents/broker.md": agentFile("broker"), "core-soul.md": "Two." });
  const broken = catalogBench(t, { "agents/agent.md": agentFile("agent"), "core-soul.md": "{{nobody}}" });
  const versionOf = (version: number, { folder }: { folder: string }) => ({ version, folder });
  const { live, write } = catalogBench(t);
  const catalog = await live({ product: versionOf(1, first) });
  t.ok(catalog.catalog.agents.has("clerk"));
  t.equal(catalog.soul.template, "One.");
  t.same(await catalog.setProduct(versionOf(2, second)), { kind: "reloaded", answer: { version: 2 } });
  t.notOk(catalog.catalog.agents.has("clerk"));
  t.ok(catalog.catalog.agents.has("broker"));
  t.equal(catalog.soul.template, "Two.");
  const before = catalog.catalog;
  t.match(await catalog.setProduct(versionOf(3, broken)), {
    kind: "refused",
    problems: [{ path: "(product) core-soul.md", line: 1 }],
  });
  const gone = { folder: "/nonexistent/catalog" };
  t.match(await catalog.setProduct(versionOf(4, gone)), { kind: "refused" });
  t.equal(catalog.catalog, before);
  t.equal(catalog.soul.template, "Two.");
  t.equal(catalog.productVersion, 2);
  t.same(await catalog.setProduct(versionOf(5, second)), { kind: "reloaded", answer: { version: 5 } });
  t.equal(catalog.catalog, before, "another version of the same files changes nothing");
  write("core-soul.md", "The engine's.");
  await catalog.reloadSoul();
  t.same(await catalog.setProduct(null), { kind: "reloaded", answer: { version: null } });
  t.notOk(catalog.catalog.agents.has("broker"));
  t.equal(catalog.soul.template, "The engine's.");
  await t.rejects(live({ product: versionOf(6, gone) }), /folder of the product's catalog/);
});
