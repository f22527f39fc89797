import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const dataDir = freshFolder(t);
const databaseUrl = await freshDatabaseUrl(t);
const daemon = await startDaemon(t, { dataDir, databaseUrl, env: { ORCH_HEALTH_INTERVAL_S: "1" } });
t.teardown(() => destroyAll(daemon));

let count = 0;
/** A fresh product, and calls with its key. */
async function product(policy: Record<string, unknown> = {}) {
  const slug = `p${++count}`;
  const { body, status } = await daemon.admin("/products/register", { method: "POST", body: { slug, policy } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const key = body.platform_api_key as string;
  products.push({ slug });
  const call = (method: string) => (path: string, sent?: unknown) =>
    daemon.platform(key, path, { method, ...(sent !== undefined && { body: sent }) });
  return { slug, id: body.id as string, key, get: call("GET"), post: call("POST"), del: call("DELETE") };
}
const products: { slug: string }[] = [];

async function destroyAll(d: Daemon): Promise<void> {
  for (const { slug } of products) await d.admin(`/products/${slug}?force=true`, { method: "DELETE" });
}

/** A zombie holds no port and no memory: it only waits to be noticed by its parent. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

t.test(
  "provision gives a running engine whose key opens it, and which the daemon's own answer never shows again",
  async (t) => {
    const p = await product();
    const made = await p.post("/engines/provision", { user_id: "alice", metadata: { plan: "pro" } });
    t.equal(made.status, 201);
    t.match(made.body, {
      user_id: "alice",
      state: "running",
      running: true,
      desired_state: "running",
      metadata: { plan: "pro" },
    });
    t.match(made.body.engine_api_key, /^sk-orch-[0-9A-Za-z]{38}$/);
    t.equal(made.headers["cache-control"], "no-store");
    const health = await ask(made.body.url, "/health");
    t.match(health.body, { status: "ok", engine_id: made.body.id, incarnation: made.body.incarnation });
    t.equal(
      (await ask(made.body.url, "/hitl/pending", { headers: { "x-engine-key": made.body.engine_api_key } })).status,
      200,
    );
    const shown = await p.get("/engines/alice");
    t.equal(shown.status, 200);
    t.notOk(shown.text.includes(made.body.engine_api_key), "the key is shown once");
    t.equal(brokerPid(dataDir), null, "a host of the sandbox model alone starts no broker");
    t.same((await p.post("/engines/provision", { user_id: "alice" })).body.error.code, "ENGINE_ALREADY_EXISTS");
    const log = await until("the engine has written something", async () => {
      const answer = await p.get("/engines/alice/logs?tail=10");
      return /engine accepts turns/.test(answer.text) ? answer : null;
    });
    t.match(log, { status: 200, headers: { "content-type": /^text\/plain/ } });
    t.equal((await p.get("/engines/alice/logs?tail=x")).body.error.code, "INVALID_REQUEST");
  },
);

t.test("start, stop and rotate-key answer by the state they find", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "bob" });
  t.equal((await p.post("/engines/bob/start", {})).body.error.code, "ENGINE_ALREADY_RUNNING");
  const stopped = await p.post("/engines/bob/stop", {});
  t.match(stopped, {
    status: 200,
    body: { state: "stopped", running: false, desired_state: "stopped", stop_result: "drained" },
  });
  t.notOk(isAlive(made.pid), "its process is gone");
  t.equal((await p.post("/engines/bob/stop", {})).body.error.code, "ENGINE_NOT_RUNNING");
  t.equal((await p.post("/engines/bob/rotate-key", {})).body.error.code, "ENGINE_NOT_RUNNING");
  const started = await p.post("/engines/bob/start", {});
  t.match(started, { status: 200, body: { state: "running", id: made.id, port: made.port } });
  t.not(started.body.incarnation, made.incarnation, "a new life");
  const old = await ask(made.url, "/hitl/pending", { headers: { "x-engine-key": made.engine_api_key } });
  t.equal(old.status, 200, "the key outlives a restart");
});

t.test("a stop waits for the running turn, and says when it could not", async (t) => {
  const p = await product();
  const run = async (user: string, seconds: number) => {
    const { body } = await p.post("/engines/provision", { user_id: user });
    const headers = { "x-engine-key": body.engine_api_key as string };
    const message = `/slow ${seconds * 1000}\n/say done`;
    const turn = ask(body.url, "/execute", { method: "POST", headers, body: { task_id: "t", message } }).catch(
      () => null,
    );
    await until("the turn runs", async () => (await ask(body.url, "/health")).body.active_turns === 1);
    return { turn, url: body.url as string, headers };
  };
  const patient = await run("patient", 2);
  const stopping = p.post("/engines/patient/stop", {});
  await until("no new turns are taken", async () => {
    const late = await ask(patient.url, "/execute", {
      method: "POST",
      headers: patient.headers,
      body: { task_id: "t2", message: "/say hi" },
    });
    return late.body?.error === "ENGINE_DRAINING" && late.headers["retry-after"] !== undefined;
  });
  t.match(await stopping, { status: 200, body: { stop_result: "drained", state: "stopped" } });
  t.match((await patient.turn)?.text, /done[^]*completed/);
  const hasty = await run("hasty", 60);
  t.match(await p.post("/engines/hasty/stop", { drain_s: 0, force: true }), {
    status: 200,
    body: { state: "stopped" },
  });
  await hasty.turn;
});

t.test("a rotated key works at once, the old one until its grace is over", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "carol" });
  const opens = async (key: string) =>
    (await ask(made.url, "/hitl/pending", { headers: { "x-engine-key": key } })).status === 200;
  const first = await p.post("/engines/carol/rotate-key", { grace_s: 60 });
  t.equal(first.status, 200);
  t.ok(Date.parse(first.body.previous_key_expires_at) > Date.now());
  t.ok(await opens(first.body.engine_api_key));
  t.ok(await opens(made.engine_api_key));
  const second = await p.post("/engines/carol/rotate-key", {});
  t.ok(await opens(second.body.engine_api_key));
  t.notOk(await opens(first.body.engine_api_key), "no grace was asked for");
  t.notOk(await opens(made.engine_api_key), "two keys at most");
});

t.test("destroy ends the process, frees the port and removes the data; a second one finds nothing", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "dave" });
  const folder = join(dataDir, "engines", made.id);
  t.ok(existsSync(folder));
  t.same((await p.del("/engines/dave")).body, { destroyed: true });
  t.notOk(isAlive(made.pid));
  t.notOk(existsSync(folder));
  await t.rejects(ask(made.url, "/health"), "nobody listens on its port");
  t.equal((await p.del("/engines/dave")).body.error.code, "ENGINE_NOT_FOUND");
  t.equal((await p.get("/engines/dave")).body.error.code, "ENGINE_NOT_FOUND");
});

t.test("data kept at a destroy belongs to the user's next engine", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "erin" });
  const headers = { "x-engine-key": made.engine_api_key };
  await ask(made.url, "/execute", { method: "POST", headers, body: { task_id: "t", message: "/say remembered" } });
  t.equal((await p.del("/engines/erin?keep_data=true")).status, 200);
  const { body: next } = await p.post("/engines/provision", { user_id: "erin" });
  const replay = await ask(next.url, "/execute/replay", { headers: { "x-engine-key": next.engine_api_key } });
  t.match(replay.text, /remembered/);
});

t.test("admit creates once, and gives back, started if need be, what is there", async (t) => {
  const p = await product();
  const first = await p.post("/engines/admit", { user_id: "frank" });
  t.equal(first.status, 201);
  t.match(first.body.engine_api_key, /^sk-orch-/);
  const again = await p.post("/engines/admit", { user_id: "frank" });
  t.match(again, { status: 200, body: { id: first.body.id, engine_api_key: null } });
  await p.post("/engines/frank/stop", {});
  t.match(await p.post("/engines/admit", { user_id: "frank" }), {
    status: 200,
    body: { id: first.body.id, state: "running" },
  });
});

t.test("admits during a destroy create the next engine, started or not", async (t) => {
  const p = await product();
  await p.post("/engines/provision", { user_id: "phoenix" });
  for (const start of [true, false]) {
    const destroyed = p.del("/engines/phoenix");
    await until("it is being destroyed", async () => {
      const { status, body } = await p.get("/engines/phoenix");
      return status === 404 || body.state === "destroying";
    });
    const admitted = await Promise.all(
      Array.from({ length: 4 }, () => p.post("/engines/admit", { user_id: "phoenix", start })),
    );
    t.equal((await destroyed).status, 200);
    t.same(
      admitted.filter(({ status }) => status !== 200 && status !== 201),
      [],
      `start: ${start}`,
    );
  }
});

t.test("many admits of one user at once make one engine, one key and no error", async (t) => {
  const p = await product();
  const answers = await Promise.all(Array.from({ length: 50 }, () => p.post("/engines/admit", { user_id: "grace" })));
  t.equal(answers.filter(({ status }) => status === 201).length, 1);
  t.equal(answers.filter(({ status }) => status === 200).length, 49);
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  t.equal(answers.filter(({ body }) => body.engine_api_key !== null).length, 1);
});

t.test("a lookup provisions only with auto_provision", async (t) => {
  const p = await product();
  t.equal((await p.get("/engines/heidi")).status, 404);
  t.equal((await p.get("/engines/heidi?auto_provision=false")).status, 404);
  const made = await p.get("/engines/heidi?auto_provision=true");
  t.match(made, { status: 201, body: { state: "running" } });
  t.match(await p.get("/engines/heidi?auto_provision=true"), { status: 200, body: { id: made.body.id } });
  t.equal((await p.get("/engines/heidi?auto_provision=yes")).body.error.code, "INVALID_REQUEST");
});

t.test("any user_id within the rules travels whole: slashes, dots, blanks, emoji, 256 bytes", async (t) => {
  const p = await product();
  for (const user of ["a/b", "..", ".", "a b", "🚀/ü", "%2e", "x".repeat(256), "provision"]) {
    const path = `/engines/${encodeURIComponent(user).replace(/^\.+$/, (dots) => "%2E".repeat(dots.length))}`;
    t.equal((await p.post("/engines/provision", { user_id: user, start: false })).status, 201, user);
    t.equal((await p.get(path)).body.user_id, user);
    t.equal((await p.del(path)).status, 200, user);
  }
  for (const user of ["", "x".repeat(257), "a\nb", "a\u0000", 7, null]) {
    t.equal(
      (await p.post("/engines/provision", { user_id: user })).body.error.code,
      "INVALID_REQUEST",
      JSON.stringify(user),
    );
  }
  t.equal((await p.get("/engines/a%0Ab")).body.error.code, "INVALID_REQUEST");
  t.equal((await p.get("/engines/%FF")).body.error.code, "INVALID_REQUEST");
});

t.test("pages of a list miss and repeat no engine", async (t) => {
  const p = await product();
  for (let user = 0; user < 5; user++) await p.post("/engines/provision", { user_id: `u${user}`, start: false });
  const seen: string[] = [];
  let path = "/engines?limit=2";
  for (let pages = 0; pages < 10; pages++) {
    const { body } = await p.get(path);
    seen.push(...body.data.map((engine: { user_id: string }) => engine.user_id));
    if (body.next_cursor === null) break;
    path = `/engines?limit=2&cursor=${body.next_cursor}`;
  }
  t.same(seen, ["u0", "u1", "u2", "u3", "u4"]);
  t.equal((await p.get("/engines?state=running")).body.data.length, 0);
  t.equal((await p.get("/engines?state=stopped")).body.data.length, 5);
  for (const bad of ["limit=0", "limit=201", "limit=x", "cursor=x", "state=asleep"]) {
    t.equal((await p.get(`/engines?${bad}`)).body.error.code, "INVALID_REQUEST", bad);
  }
});

t.test(
  "an engine is made without being started; wait answers when the state is reached, and in vain with 504",
  async (t) => {
    const p = await product();
    const made = await p.post("/engines/provision", { user_id: "judy", start: false });
    t.match(made, { status: 201, body: { state: "stopped", pid: null, engine_api_key: /^sk-orch-/ } });
    const vain = await p.get("/engines/judy/wait?state=running&timeout_s=0");
    t.match(vain, {
      status: 504,
      body: { error: { code: "BOOT_TIMEOUT", message: /waited \d+ s: the engine is / } },
    });
    const waiting = p.get("/engines/judy/wait?state=running&timeout_s=60");
    await p.post("/engines/judy/start", {});
    t.match(await waiting, { status: 200, body: { state: "running" } });
    t.equal((await p.get("/engines/nobody/wait")).body.error.code, "ENGINE_NOT_FOUND");
  },
);

t.test("an engine that is killed starts again by itself, with its key and its data", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "kim" });
  process.kill(made.pid, "SIGKILL");
  const again = await until("the engine runs again", async () => {
    const { body } = await p.get("/engines/kim");
    return body.state === "running" && body.incarnation !== made.incarnation ? body : null;
  });
  t.match(again, { restarts: { count: 1 }, last_error: { phase: "run", signal: "SIGKILL" }, port: made.port });
  t.equal((await ask(made.url, "/hitl/pending", { headers: { "x-engine-key": made.engine_api_key } })).status, 200);
});

t.test("the record has the time of the engine's last work", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "kay" });
  t.equal(made.last_active_at, null);
  const headers = { "x-engine-key": made.engine_api_key };
  const began = Date.now();
  await ask(made.url, "/execute", { method: "POST", headers, body: { task_id: "t", message: "/say hi" } });
  // Read with the first health probe, which may come before the turn, and then once a minute.
  const lastActive = async () => (await p.get("/engines/kay")).body.last_active_at;
  const active = await until("it is known", lastActive, 90_000);
  t.ok(Date.parse(active) >= began);
  t.match((await p.post("/engines/kay/stop", {})).body.last_active_at, String, "and is known of a stopped engine too");
});

t.test("deleting a product is refused while it has engines, unless forced", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "mia" });
  t.equal((await daemon.admin(`/products/${p.slug}`, { method: "DELETE" })).status, 409);
  t.ok(isAlive(made.pid));
  t.same((await daemon.admin(`/products/${p.slug}?force=true`, { method: "DELETE" })).body, { deleted: true });
  t.notOk(isAlive(made.pid));
  t.equal((await p.get("/engines")).body.error.code, "INVALID_PLATFORM_KEY");
});

t.test("the daemon stops without its engines, and the next one finds them with their streams", async (t) => {
  const p = await product();
  const { body: made } = await p.post("/engines/provision", { user_id: "nina" });
  const headers = { "x-engine-key": made.engine_api_key };
  const turn = ask(made.url, "/execute", {
    method: "POST",
    headers,
    body: { task_id: "t", message: "/slow 3000\n/say still here" },
  });
  t.equal(await daemon.stop("SIGKILL"), null);
  const next = await startDaemon(t, { dataDir, databaseUrl });
  const found = await next.platform(p.key, "/engines/nina");
  t.match(found.body, { pid: made.pid, incarnation: made.incarnation, state: "running" });
  t.match((await turn).text, /still[^]*here[^]*completed/);
  t.equal((await next.platform(p.key, "/engines/nina/stop", { method: "POST", body: {} })).status, 200);
  t.notOk(isAlive(made.pid), "the new daemon stops what the old one started");
  await destroyAll(next);
  t.same(readdirSync(join(dataDir, "engines")), [], "nothing is left");
  products.length = 0;
});
