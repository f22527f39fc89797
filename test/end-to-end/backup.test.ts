import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { signWebhook } from "../../src/contract/orchestrator/webhook-signature.ts";
import { ask } from "../helpers/api.ts";
import { keptFolderOf, orchctlOf, settingsOf } from "../helpers/backup.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { startEmbeddingsServer } from "../helpers/embeddings-server.ts";
import { findsPassage, storeDocument } from "../helpers/product-documents.ts";
import { until } from "../helpers/until.ts";

/** A data folder that does not exist, and ports for its daemon from `lowest` to 4,500 above. */
function newPlace(t: Test, lowest: number): { dataDir: string; env: Record<string, string> } {
  const first = lowest + Math.floor(Math.random() * 4400);
  return {
    dataDir: join(freshFolder(t), "data"),
    env: { ORCH_PORT_MIN: String(first), ORCH_PORT_MAX: String(first + 99), ORCH_HEALTH_INTERVAL_S: "1" },
  };
}

const say = async (url: string, key: string, message: string): Promise<void> => {
  const headers = { "x-engine-key": key };
  await (await openStream(url, "/execute", { headers, body: { task_id: "t", message } })).all();
};

const calls = (daemon: Daemon, key: string) => ({
  get: (path: string) => daemon.platform(key, path),
  post: (path: string, body: unknown = {}) => daemon.platform(key, path, { method: "POST", body }),
});

// With the bundled server; test/end-to-end/refused-restores.test.ts has others.
t.test("a backup made under running turns becomes the same host elsewhere", async (t) => {
  const old = newPlace(t, 20_000);
  const passphrase = { ORCH_BACKUP_PASSPHRASE: "correct horse battery" };
  const daemon = await startDaemon(t, { ...old, env: { ...old.env, ...passphrase } });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  const policy = { engine_env: { LLM_PROVIDER: "sandbox", LLM_MODEL: "sandbox" } };
  const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p", policy } });
  const { get, post } = calls(daemon, product.platform_api_key as string);
  const [alice, , carol, dave] = await Promise.all(
    ["alice", "bob", "carol", "dave"].map(async (user) => (await post("/engines/provision", { user_id: user })).body),
  );
  await say(alice.url, alice.engine_api_key, "/say My name is Alice");
  await say(carol.url, carol.engine_api_key, "/say My name is Carol");
  await say(dave.url, dave.engine_api_key, "/say My name is Dave");
  await post("/engines/bob/stop");
  await storeDocument(daemon, product.platform_api_key, "help/refunds.md", "# Refunds\n\nA refund takes 14 days.");
  const told = { url: "https://orchd.invalid/told", events: ["schedule.created"] };
  const { body: endpoint } = await post("/notifications/endpoints", told);
  const endpointOf = async (read: typeof get) => (await read(`/notifications/endpoints/${endpoint.id}`)).body;
  const yearly = { kind: "cron", cron: "@yearly", time_zone: "Europe/Oslo" };
  const { body: schedule } = await post("/engines/bob/schedules", { name: "y", timing: yearly, message: "/say hi" });
  await until("a message waits", async () => (await endpointOf(get)).pending === 1);
  const { body: webhook } = await post("/engines/bob/webhooks", { name: "w", template: "{{payload}}" });
  await until("dave sleeps", async () => {
    await post("/engines/dave/sleep");
    return (await get("/engines/dave")).body.state === "sleeping";
  });
  await daemon.platform(product.platform_api_key as string, "/engines/carol?keep_data=true", { method: "DELETE" });
  const workspace = join(old.dataDir, "engines", alice.id, "workspace");
  writeFileSync(join(workspace, "ünï"), "a file");
  symlinkSync("/etc/hostname", join(workspace, "link"));

  const orchctl = orchctlOf(t, { ...settingsOf(daemon), ...passphrase });
  let said = 0;
  const done = new AbortController();
  const talk = (async () => {
    for (; !done.signal.aborted; said++) await say(alice.url, alice.engine_api_key, `/say ${"word ".repeat(50)}`);
  })();
  await until("turns run", () => said > 1);
  const created = await orchctl("--json", "backup", "create").finally(() => done.abort());
  await talk;
  t.equal(created.code, 0, created.stderr);
  const run = JSON.parse(created.stdout);
  t.match(run, { outcome: "created", engines: { done: 3, total: 3 }, incomplete: [] });
  const archive = join(run.dir, run.name);
  const listed = await orchctl("backup", "list");
  t.match(listed.stdout, run.name, listed.stderr);
  t.match((await daemon.admin("/admin/status")).body.backup, { running: false, problem: null, newest_at: /^20/ });
  t.match((await ask(daemon.url, "/metrics")).text, /orch_backups_total\{outcome="created"\} 1/);
  t.match((await daemon.admin("/admin/events")).body.data[0], {
    type: "host.backup_created",
    data: { name: run.name },
  });

  const verified = await orchctl("backup", "verify", archive);
  t.equal(verified.code, 0, verified.stderr);
  t.match(verified.stdout, /complete backup[^]*engines +3,/);
  const blind = await orchctlOf(t, {})("backup", "verify", archive);
  t.match(blind, { code: 5, stderr: /encrypted; set ORCH_BACKUP_PASSPHRASE/ });

  // The old host goes on, as after a crash of its network.
  const place = newPlace(t, 24_500);
  const settings = { ...place.env, ORCH_DATA_DIR: place.dataDir, ...passphrase };
  const restored = await orchctlOf(t, settings)("--json", "backup", "restore", archive);
  t.equal(restored.code, 0, restored.stderr);
  t.match(JSON.parse(restored.stdout), { restored: true, engines: 3, ports_changed: 3, rows: { products: 1 } });
  const again = await orchctlOf(t, settings)("backup", "restore", archive);
  t.match(again, { code: 5, stderr: /refused: .*(has data|has records)/ });

  const embeddings = await startEmbeddingsServer(t);
  const vectors = { ENGINE_EMBEDDINGS_URL: embeddings.url("new"), ENGINE_EMBEDDINGS_MODEL: "small" };
  const next = await startDaemon(t, { ...place, env: { ...place.env, ...vectors } });
  t.teardown(() => next.admin("/products/p?force=true", { method: "DELETE" }));
  t.equal(next.adminKey, daemon.adminKey);
  const there = calls(next, product.platform_api_key as string);
  const back = await until("alice runs again", async () => {
    const { body } = await there.get("/engines/alice");
    return body.state === "running" ? body : null;
  });
  t.equal((await there.get("/engines/bob")).body.state, "stopped");
  const source = await findsPassage({ url: back.url, key: alice.engine_api_key }, "refund", /14 days/);
  t.equal(source, "help/refunds.md:3");
  await until("vectors of the documents are made anew", async () => {
    const { embedded, waiting } = (await there.get("/knowledge")).body.embeddings;
    return embedded === 1 && waiting === 0;
  });
  t.same((await there.get(`/engines/bob/schedules/${schedule.id}`)).body, schedule);
  t.match(await endpointOf(there.get), { ...told, enabled: true, pending: 0 }, "it is not told of the same again");
  const message = { id: "m", timestamp: String(Math.floor(Date.now() / 1000)), body: Buffer.from("hello") };
  const headers = {
    "webhook-id": message.id,
    "webhook-timestamp": message.timestamp,
    "webhook-signature": signWebhook(webhook.secret, message),
  };
  const sent = await ask(next.url, webhook.path, { method: "POST", body: message.body, headers });
  t.equal(sent.status, 202, "the secret of a webhook is as before");
  const asleep = (await there.get("/engines/dave")).body;
  t.equal(asleep.state, "sleeping");
  const woken = await ask(asleep.url, "/memory/episodes", { headers: { "x-engine-key": dave.engine_api_key } });
  t.match(JSON.stringify(woken.body.items), "My name is Dave", "a call wakes it, with its memory");
  t.not(back.port, alice.port);
  t.ok(back.port >= Number(place.env["ORCH_PORT_MIN"]) && back.port <= Number(place.env["ORCH_PORT_MAX"]));
  const engineKey = { headers: { "x-engine-key": alice.engine_api_key as string } };
  const episodes = (await ask(back.url, "/memory/episodes?limit=200", engineKey)).body.items;
  t.match(JSON.stringify(episodes.at(-1)), "My name is Alice");
  t.ok(episodes.length > 1, "and the rounds of the turns that ran");
  await say(back.url, alice.engine_api_key, "/say still here");
  const folder = join(place.dataDir, "engines", alice.id);
  t.equal(readFileSync(join(folder, "workspace/ünï"), "utf8"), "a file");
  t.equal(readlinkSync(join(folder, "workspace/link")), "/etc/hostname");
  const owners = new Set([".", "engine.db", "workspace/ünï"].map((name) => lstatSync(join(folder, name)).uid));
  t.equal(owners.size, 1, "everything belongs to the engine's user");
  t.ok(existsSync(keptFolderOf(place.dataDir, product.id, "carol")));
  const carolAgain = (await there.post("/engines/provision", { user_id: "carol" })).body;
  const remembered = await ask(carolAgain.url, "/memory/episodes", {
    headers: { "x-engine-key": carolAgain.engine_api_key },
  });
  t.match(JSON.stringify(remembered.body.items), "My name is Carol");
  const audit = await orchctlOf(t, settingsOf(next))("audit", "verify");
  t.equal(audit.code, 0, audit.stderr + audit.stdout);
  t.notOk(existsSync(join(place.dataDir, "restore.new")));
  t.match((await get("/engines/alice")).body, { state: "running", pid: alice.pid }, "the old host is untouched");
  t.same(
    readdirSync(join(old.dataDir, "backups")).filter((name) => name.endsWith(".partial")),
    [],
  );
});
