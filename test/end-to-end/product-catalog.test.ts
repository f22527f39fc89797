import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { packCatalog } from "../../cli/catalog/pack-folder.ts";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import { agentFile, skillFile, toolFile } from "../engine/catalog/catalog-bench.ts";
import { ask } from "../helpers/api.ts";
import { type CatalogFiles, catalogArchive } from "../helpers/catalog-archive.ts";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t);
const FIRST = {
  "agents/clerk.md": agentFile("clerk"),
  "skills/tables/SKILL.md": skillFile("tables"),
  "tools/greet.json": toolFile({ command: { argv: ["echo", "good morning"] }, permission: "allow" }),
  "core-soul.md": "The first soul.",
};

/** With the platform key of another product where one is given. */
const call = async (method: string, path: string, { body, headers = {}, key = fleet.platformKey }: Call = {}) =>
  ask(fleet.daemon.url, path, {
    method,
    headers: { "x-platform-key": key, ...headers },
    ...(body !== undefined && { body }),
  });
interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}
const push = async (files: CatalogFiles, { query = "", ...more }: Call & { readonly query?: string } = {}) =>
  call("PUT", `/catalog${query}`, { body: await catalogArchive(files), ...more });
const agentsOf = async (engine: Sleeper): Promise<string[]> =>
  (await engine.call("/assets/catalog")).body.agents.map(({ name }: { name: string }) => name);
const usesVersion = (engine: Sleeper, version: number) =>
  until(`${engine.user} uses version ${version}`, async () => (await engine.show()).catalog?.version === version);

const [anna, bert] = await Promise.all(["anna", "bert"].map((user) => fleet.provision(user)));
if (anna === undefined || bert === undefined) throw new Error("no engines");

t.test("before the first push there is version 0", async (t) => {
  const { status, body, headers } = await call("GET", "/catalog");
  t.equal(status, 200);
  t.same(body, {
    version: 0,
    digest: null,
    bytes: 0,
    restored_from: null,
    created_at: null,
    actor: null,
    files: [],
  });
  t.equal(headers["etag"], '"0"');
  t.same((await call("GET", "/catalog/history")).body, { versions: [] });
  t.match((await anna.show()).catalog, { version: 0, error: null });
});

t.test("a push reaches running engines at once, in the middle of a turn", async (t) => {
  const turn = await anna.execute("talk", "/say before\n/slow 1500\n/say after");
  const dry = await push(FIRST, { query: "?dry_run=true" });
  t.match(dry.body, { version: 0, is_new: true, engines: null, changes: { added: { length: 4 } } });
  t.equal((await call("GET", "/catalog")).body.version, 0, "a dry run changes nothing");
  const pushed = await push(FIRST);
  t.equal(pushed.status, 200, pushed.text);
  t.match(pushed.body, {
    version: 1,
    files: 4,
    is_new: true,
    actor: "product",
    changes: { added: Object.keys(FIRST).toSorted(), changed: [], removed: [] },
    warnings: [],
    engines: { running: 2, reloaded: 2, failed: [] },
  });
  t.equal(pushed.headers["etag"], '"1"');
  t.ok((await agentsOf(anna)).includes("clerk"));
  const { body: health } = await ask(anna.url, "/health");
  const { body: other } = await ask(bert.url, "/health");
  t.equal(health.core_soul_hash, other.core_soul_hash);
  t.match((await turn.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  const frames = await (await bert.execute("tool", "/tool greet {}")).all();
  t.match(JSON.stringify(frames), /good morning/, "the product's tool runs");
  t.match((await anna.show()).catalog, { version: 1, error: null });
  const same = await push(FIRST);
  t.match(same.body, { version: 1, is_new: false, engines: { running: 2, reloaded: 2 } }, "the same files again");
  const { body } = await call("GET", "/catalog");
  t.match(body.files, [{ path: "agents/clerk.md" }, { path: "core-soul.md" }, {}, {}]);
  t.match(body.files[1], { bytes: 15, sha256: /^[0-9a-f]{64}$/, executable: false });
});

t.test("engines that sleep or are stopped use the version when they start", async (t) => {
  await anna.sleep();
  await bert.post("stop");
  const second = { ...FIRST, "agents/broker.md": agentFile("broker") };
  t.match((await push(second)).body, { version: 2, engines: { running: 0, reloaded: 0 } });
  t.ok((await agentsOf(anna)).includes("broker"), "woken by this call");
  await bert.post("start");
  t.ok((await agentsOf(bert)).includes("broker"));
  t.match((await bert.show()).catalog, { version: 2 });
});

t.test("an engine whose own files do not fit keeps the version before, and its record says why", async (t) => {
  const own = join(fleet.daemon.dataDir, "engines", anna.id, "catalog/agents");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "broken.md"), "nothing");
  const { body } = await push({ ...FIRST, "agents/third.md": agentFile("third") });
  t.match(body.engines, {
    running: 2,
    reloaded: 1,
    failed: [{ user_id: "anna", reason: /^agents\/broken\.md: line 1/ }],
  });
  t.match((await anna.show()).catalog, { version: 2, error: /broken\.md/ });
  t.notOk((await agentsOf(anna)).includes("third"));
  writeFileSync(join(own, "broken.md"), agentFile("broken"));
  const { body: next } = await push({ ...FIRST, "agents/fourth.md": agentFile("fourth") });
  t.match(next.engines, { running: 2, reloaded: 2, failed: [] });
  const agents = await agentsOf(anna);
  t.ok(agents.includes("fourth") && agents.includes("broken"), "its own is over the product's");
  rmSync(own, { recursive: true });
});

t.test("a wrong catalog is refused whole, with each fault", async (t) => {
  const before = (await call("GET", "/catalog")).body;
  const { status, body } = await push({
    "agents/clerk.md": "---\nname: clerk\ndescription: ''\ncolour: red\n---\n",
    "tools/cut.json": '{\n  "description": "x",\n}',
    ".mcp.json": '{\n  "mcpServers": {\n    "a": {\n      "command": 1\n    }\n  }\n}',
    "core-soul.md": "one\n{{nobody}}",
  });
  t.equal(status, 422);
  t.match(body.error, {
    code: "CATALOG_INVALID",
    message: /^agents\/clerk\.md: line 3: .* and 4 more; nothing was changed/,
  });
  t.match(
    body.error.details.errors.map(({ path, line }: { path: string; line: number }) => `${path}:${line}`).toSorted(),
    [".mcp.json:4", "agents/clerk.md:3", "agents/clerk.md:4", "core-soul.md:2", "tools/cut.json:3"],
  );
  t.same((await call("GET", "/catalog")).body, before);
});

t.test("two pushes do not overwrite one another unseen", async (t) => {
  const { headers } = await call("GET", "/catalog");
  const tag = { "if-match": String(headers["etag"]) };
  const texts = ["one", "two", "three"];
  const answers = await Promise.all(texts.map((text) => push({ ...FIRST, "core-soul.md": text }, { headers: tag })));
  t.same(answers.map(({ status }) => String(status)).toSorted(), ["200", "412", "412"]);
  t.match(answers.find(({ status }) => status === 412)?.body, { error: { code: "CATALOG_CHANGED" } });
  t.match(await push(FIRST, { headers: { "if-match": "12" } }), { status: 400, body: { error: { message: /ETag/ } } });
  t.match(await call("POST", "/catalog/rollback", { body: { version: 1 }, headers: tag }), { status: 412 });
});

t.test("a rollback makes the files of a version current again", async (t) => {
  const { body } = await call("POST", "/catalog/rollback", { body: { version: 1 } });
  t.match(body, { version: 6, restored_from: 1, is_new: true, engines: { running: 2, reloaded: 2 } });
  t.same(body.digest, (await call("GET", "/catalog/history")).body.versions.at(-1).digest);
  t.notOk((await agentsOf(anna)).includes("fourth"));
  t.ok((await agentsOf(anna)).includes("clerk"));
  t.match(await call("POST", "/catalog/rollback", { body: { version: 99 } }), {
    status: 404,
    body: { error: { code: "CATALOG_VERSION_NOT_FOUND" } },
  });
  const { body: none } = await call("POST", "/catalog/rollback", { body: { version: 0 } });
  t.match(none, { version: 7, restored_from: 0, digest: null, engines: { reloaded: 2 } });
  t.notOk((await agentsOf(anna)).includes("clerk"));
  const archive = await call("GET", "/catalog/versions/1/archive");
  t.match(archive, { status: 200, headers: { "content-type": "application/gzip" } });
  t.match(await call("GET", "/catalog/versions/7/archive"), { status: 404 });
  t.match(await call("GET", "/catalog/versions/first/archive"), { status: 404 });
  await push(FIRST);
  const types = (await call("GET", "/events?limit=200")).body.data.map(({ type }: { type: string }) => type);
  t.equal(types.filter((type: string) => type === "catalog.rolled_back").length, 2);
  t.equal(types.filter((type: string) => type === "catalog.pushed").length, 6);
  const { text } = await ask(fleet.daemon.url, "/metrics");
  t.match(text, /orch_catalog_reloads_total\{outcome="reloaded"\} \d/);
  t.match(text, /orch_catalog_reloads_total\{outcome="refused"\} \d/);
});

t.test("a product sees and changes its own catalog alone", async (t) => {
  const made = await fleet.daemon.admin("/products/register", { method: "POST", body: { slug: "other" } });
  const key: string = made.body.platform_api_key;
  t.match((await call("GET", "/catalog", { key })).body, { version: 0 });
  t.match((await push({ "agents/spy.md": agentFile("spy") }, { key })).body, { version: 1, engines: { running: 0 } });
  t.notOk((await agentsOf(anna)).includes("spy"));
  const folders = () => readdirSync(join(fleet.daemon.dataDir, "catalogs")).filter((name) => name.startsWith("prd_"));
  t.equal(folders().length, 2);
  await fleet.daemon.admin("/products/other", { method: "DELETE" });
  t.equal(folders().length, 1, "a deleted product's catalog is gone");
});

t.test("the example is valid, and the client pushes it", async (t) => {
  const { archive, files } = await packCatalog(resolve(import.meta.dirname, "../../examples/catalog"));
  const { catalog } = createOrchestratorClient({ url: fleet.daemon.url, platformKey: fleet.platformKey });
  const before = await catalog.get();
  const dry = await catalog.push(archive, { dryRun: true });
  t.match(dry, { version: before.version, is_new: true, warnings: [], engines: null });
  const pushed = await catalog.push(archive, { ifVersion: before.version });
  t.match(pushed, { version: before.version + 1, warnings: [], engines: { reloaded: 2 } });
  t.same((await catalog.get()).files, files, "the daemon has the same digests");
  t.ok((await agentsOf(anna)).includes("librarian"));
  await t.rejects(catalog.push(archive, { ifVersion: before.version }), { code: "CATALOG_CHANGED" });
  t.same(new Uint8Array(await (await catalog.archive(pushed.version)).arrayBuffer()), archive);
  await catalog.rollback(before.version);
  t.equal((await catalog.history()).versions[0]?.restored_from, before.version);
});

t.test("rules decide calls of running engines, and a dry run says which one", async (t) => {
  const { version } = (await call("GET", "/catalog")).body;
  const settings = `tool_rules:
  - tool: greet
    permission: deny
    reason: nobody greets
  - tool: list_files
    input: { path: notes* }
    permission: ask
`;
  const files = { ...FIRST, "settings.yaml": settings };
  const tries = async (tried: unknown) =>
    push(files, { query: `?dry_run=true&try=${encodeURIComponent(JSON.stringify(tried))}` });
  t.same((await tries({ tool: "greet", input: {} })).body.tried, {
    permission: "deny",
    path: "settings.yaml",
    line: 2,
    reason: "nobody greets",
  });
  t.match((await tries({ tool: "list_files", input: { path: "x/../notes" } })).body.tried, {
    permission: "ask",
    line: 5,
  });
  t.equal((await tries({ tool: "list_files", input: {} })).body.tried, null);
  t.match((await tries({ tool: "list_files" })).body, { error: { code: "INVALID_REQUEST", message: /input/ } });
  t.match((await push(files, { query: "?dry_run=true&try=x" })).body, { error: { message: /^try: expected JSON/ } });
  t.match((await push(files, { query: "?try=x" })).body, { error: { message: /^try: expected only with dry_run/ } });
  t.notOk("tried" in (await push(files, { query: "?dry_run=true" })).body);
  const before = await (await bert.execute("rules", "/tool greet {}")).all();
  t.match(JSON.stringify(before), /good morning/);
  t.equal((await push(files)).status, 200);
  const after = JSON.stringify(await (await bert.execute("rules", "/tool greet {}")).all());
  t.match(after, /rules deny this call: nobody greets/);
  t.notMatch(after, /good morning/);
  const wrong = await push({ ...FIRST, "settings.yaml": "tool_rules:\n  - tool: greet\n    permission: no\n" });
  t.match(wrong.body.error, { code: "CATALOG_INVALID", details: { errors: [{ path: "settings.yaml", line: 3 }] } });
  t.equal((await call("POST", "/catalog/rollback", { body: { version } })).status, 200);
});

t.test("a suspended product pushes nothing", async (t) => {
  await fleet.setPolicy({ suspended: true });
  t.match(await push(FIRST), { status: 403 });
  t.match(await call("POST", "/catalog/rollback", { body: { version: 1 } }), { status: 403 });
  t.match(await call("GET", "/catalog"), { status: 200 });
  await fleet.setPolicy({ suspended: false });
});

t.test("a daemon that was killed leaves no engine behind, and lost files are made again", async (t) => {
  const [folder = ""] = readdirSync(join(fleet.daemon.dataDir, "catalogs")).filter((name) => name.startsWith("prd_"));
  const place = join(fleet.daemon.dataDir, "catalogs", folder);
  await bert.post("stop");
  await fleet.daemon.stop("SIGKILL");
  for (const digest of readdirSync(place)) rmSync(join(place, digest), { recursive: true });
  await fleet.restart();
  await bert.post("start");
  t.ok((await agentsOf(bert)).includes("clerk"), "made from the database");
  await usesVersion(anna, 12);
  const { body } = await push({ ...FIRST, "agents/late.md": agentFile("late") });
  t.match(body, { version: 13, engines: { running: 2, reloaded: 2 } }, "the adopted engine too");
  const [digest = ""] = readdirSync(place).filter((name) => name === body.digest);
  await bert.post("stop");
  await fleet.daemon.stop();
  writeFileSync(join(place, digest, "agents/late.md"), "torn");
  const old = join(place, "0".repeat(64));
  mkdirSync(old);
  utimesSync(old, 0, 0);
  await fleet.restart({ ORCH_CATALOG_VERSIONS: "2" });
  await bert.post("start");
  t.ok((await agentsOf(bert)).includes("late"), "a changed file is made again");
  await push(FIRST);
  t.match(
    (await call("GET", "/catalog/history")).body.versions,
    [{ version: 14 }, { version: 13 }],
    "as many as are kept",
  );
  await until("what nobody used for a day is removed", () => !existsSync(old));
  t.ok(existsSync(join(place, digest)));
});
