import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { engine, fault, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };
const born = { status: 201, body: { ...engine(), engine_api_key: "sk-orch-shown-once" } };

t.test("provision shows the key once and keeps it, admit has none to show, destroy forgets it", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const kept = () => readFileSync(join(orchctl.configDir, "credentials.json"), "utf8");
  server.on("POST /engines/provision", born);
  const ran = await orchctl(["engines", "provision", "alice"], { env: KEY });
  t.equal(ran.code, 0, ran.stderr);
  t.match(
    ran.stdout,
    /alice is running at http:\/\/127\.0\.0\.1:20000\n\nEngine key, shown only now:\n {2}sk-orch-shown-once/,
  );
  t.same(server.calls[0]?.body, { user_id: "alice" });
  t.equal(server.calls[0]?.headers["x-platform-key"], KEY.ORCH_PLATFORM_KEY);
  t.match(kept(), "sk-orch-shown-once");

  server.on("POST /engines/admit", { body: { ...engine(), engine_api_key: null } });
  const admitted = await orchctl(["engines", "admit", "alice"], { env: KEY });
  t.equal(admitted.stdout, "alice is running at http://127.0.0.1:20000\n");
  t.match(kept(), "sk-orch-shown-once", "the kept key stays");

  server.on("GET /engines/alice", { body: engine() });
  server.on("DELETE /engines/alice", { body: { destroyed: true } });
  const dry = await orchctl(["engines", "destroy", "alice", "--dry-run"], { env: KEY });
  t.equal(dry.stdout, "would destroy the engine of alice (eng_1, running, port 20000, pid 4711) and all its data\n");
  t.notOk(server.calls.some(({ method }) => method === "DELETE"));
  const gone = await orchctl(["engines", "destroy", "alice", "--keep-data", "--yes", "--json"], { env: KEY });
  t.same(JSON.parse(gone.stdout), { destroyed: true });
  t.equal(server.calls.at(-1)?.path, "/engines/alice?keep_data=true");
  t.notMatch(kept(), "sk-orch-shown-once");
});

t.test("each verb calls its route with what was given", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const metadata = join(t.testdir({ "m.json": '{"plan":"free"}' }), "m.json");
  server.on("POST /engines/provision", born);
  for (const verb of ["start", "sleep", "stop", "rotate-key"]) {
    server.on(`POST /engines/alice/${verb}`, {
      body: { ...engine(), engine_api_key: "sk-orch-new", stop_result: "drained" },
    });
  }
  server.on("GET /engines/alice/wait", { body: engine() });
  for (const [args, call, body] of [
    [
      ["provision", "alice", "--no-start", "--metadata", metadata],
      "POST /engines/provision",
      { user_id: "alice", metadata: { plan: "free" }, start: false },
    ],
    [["start", "alice"], "POST /engines/alice/start", {}],
    [["wake", "alice"], "POST /engines/alice/start", {}],
    [["sleep", "alice"], "POST /engines/alice/sleep", {}],
    [["stop", "alice"], "POST /engines/alice/stop", {}],
    [["stop", "alice", "--drain", "5s", "--force"], "POST /engines/alice/stop", { drain_s: 5, force: true }],
    [["rotate-key", "alice", "--grace", "10m"], "POST /engines/alice/rotate-key", { grace_s: 600 }],
    // Longer than a timer can be set for.
    [["wait", "alice", "--timeout", "30d"], "GET /engines/alice/wait?state=running&timeout_s=2592000", undefined],
    [["wait", "alice"], "GET /engines/alice/wait?state=running&timeout_s=60", undefined],
    [
      ["wait", "alice", "--state", "stopped", "--timeout", "5"],
      "GET /engines/alice/wait?state=stopped&timeout_s=5",
      undefined,
    ],
  ] as const) {
    const ran = await orchctl(["engines", ...args], { env: KEY });
    t.equal(ran.code, 0, ran.stderr);
    const { method, path, body: sent } = server.calls.at(-1)!;
    t.same([`${method} ${path}`, sent], [call, body]);
  }
});

t.test("a user_id reaches the daemon as it is, whatever it is made of", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const [user, segment] of [
    ["..", "%2E%2E"],
    [".", "%2E"],
    ["a/b", "a%2Fb"],
    ["a b%2e?#&", "a%20b%252e%3F%23%26"],
    ["(it's)*!", "%28it%27s%29%2A%21"],
    ["👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"],
    ["用户", "%E7%94%A8%E6%88%B7"],
  ] as const) {
    server.on(`GET /engines/${segment}`, { body: engine({ user_id: user }) });
    const ran = await orchctl(["engines", "show", user, "--json"], { env: KEY });
    t.equal(ran.code, 0, ran.stderr);
    t.equal(server.calls.at(-1)?.path, `/engines/${segment}`);
    t.equal(JSON.parse(ran.stdout).user_id, user);
  }
});

t.test("an id from elsewhere cannot steer the terminal, and columns stay columns beside wide letters", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const evil = "eve\u001b[2J\u202e";
  server.on("GET /engines", {
    body: { data: [engine({ user_id: evil }), engine({ user_id: "用户" })], next_cursor: null },
  });
  const { stdout } = await orchctl(["engines", "list"], { env: KEY });
  // oxlint-disable-next-line no-control-regex
  t.notMatch(stdout, /[\u001b\u202e]/);
  const [head = "", first = "", second = ""] = stdout.split("\n");
  t.ok(first.startsWith(String.raw`eve\u{1b}[2J\u{202e}  running`));
  t.equal(first.indexOf("running"), head.indexOf("STATE"));
  t.equal(second.indexOf("running"), head.indexOf("STATE") - 2, "two letters take two columns each");
});

t.test("list passes its filter on and reads every page", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines", ({ path }) => ({
    body: { data: [engine()], next_cursor: path.includes("cursor=") ? null : "eng_1" },
  }));
  const ran = await orchctl(["engines", "list", "--state", "running", "--json"], { env: KEY });
  t.same(JSON.parse(ran.stdout), { data: [engine(), engine()], next_cursor: null });
  t.same(
    server.calls.map(({ path }) => path),
    ["/engines?limit=200&state=running", "/engines?limit=200&cursor=eng_1&state=running"],
  );
  t.equal((await orchctl(["engines", "list", "--state", "asleep"], { env: KEY })).code, 2);
});

t.test("show and list tell since when an engine sleeps and why, or what keeps it awake", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const sleep = { since: "2026-11-01T12:00:00.000Z", reason: "idle" } as const;
  const asleep = { state: "sleeping", running: false, pid: null, sleep, awake: null } as const;
  server.on("GET /engines", { body: { data: [engine(asleep)], next_cursor: null } });
  server.on("GET /engines/alice", { body: engine(asleep) });
  t.match((await orchctl(["engines", "list"], { env: KEY })).stdout, /alice +sleeping \(idle\)/);
  const { stdout } = await orchctl(["engines", "show", "alice"], { env: KEY });
  t.match(stdout, /asleep +since 2026-11-01T12:00:00\.000Z \(idle\); a call wakes it/);
  const awake = { woken_by: "call", kept_by: ["turn", "stream"], idle_since: null, learning_due_at: null } as const;
  server.on("GET /engines/alice", { body: engine({ awake }) });
  const shown = await orchctl(["engines", "show", "alice"], { env: KEY });
  t.match(shown.stdout, /awake +woken by call; works: turn, stream/);
});

t.test("show has the last error, with the end of the log", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const last_error = {
    phase: "boot",
    reason: "exited before it was healthy",
    exit_code: 78,
    signal: null,
    oom: true,
    log_tail: ["starting", "no settings\u0007"],
    at: "2026-11-01T12:00:02.000Z",
  } as const;
  const next_at = "2026-11-01T12:00:09.000Z";
  const restarts = { count: 3, window_started_at: "2026-11-01T11:55:00.000Z", next_at };
  const asleep = { state: "failed", running: false, pid: null, restarts, stop_reason: "gave up", last_error } as const;
  server.on("GET /engines/alice", { body: engine(asleep) });
  const { stdout } = await orchctl(["engines", "show", "alice"], { env: KEY });
  t.match(stdout, /state +failed \(wanted: running\)/);
  t.match(stdout, `restarts         3 since 2026-11-01T11:55:00.000Z, next at ${next_at}\n`);
  t.match(stdout, /stopped because +gave up\n/);
  t.match(stdout, /last error, at 2026-11-01T12:00:02\.000Z, boot:/);
  t.match(stdout, /exited before it was healthy \(exit code 78, out of memory\)/);
  t.match(stdout, "    starting\n    no settings\\u{7}\n");
});

t.test("logs prints lines as they come and ends quietly when nobody reads on", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice/logs", (_call, response) => {
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    response.write("one\ntwo \u001b[31mred\n");
    response.write("three");
    response.end("\n");
  });
  const ran = await orchctl(["logs", "alice", "-n", "3"], { env: KEY });
  t.equal(ran.stdout, "one\ntwo \\u{1b}[31mred\nthree\n");
  t.equal(server.calls[0]?.path, "/engines/alice/logs?tail=3&follow=false");
});

t.test("an output that cannot be written ends with 1, and a closed standard error changes no exit code", async (t) => {
  const server = await startFakeServer(t);
  const { env } = orchctlFor(t, server);
  server.on("GET /engines", { body: { data: [], next_cursor: null } });
  const shell = async (words: string) => {
    const command = `"${process.execPath}" bin/orchctl.js engines list ${words}; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command], { env: { ...env, ...KEY }, timeout: 30_000 });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { stdout, stderr };
  };
  t.same(await shell(">/dev/full"), { stdout: "1\n", stderr: "the output cannot be written (ENOSPC)\n" });
  t.match(await shell("--nonsense 2>&1 >/dev/null | head -c 0"), { stdout: "2\n" });
});

t.test("a command ends silently when its reader closes the pipe", async (t) => {
  const server = await startFakeServer(t);
  const { env } = orchctlFor(t, server);
  server.on("GET /engines/alice/logs", (_call, response) => {
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    const more = setInterval(() => response.write("line\n"), 5);
    response.on("close", () => clearInterval(more));
  });
  const command = `"${process.execPath}" bin/orchctl.js logs alice -f | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const child = spawn("bash", ["-c", command], { env: { ...env, ...KEY }, timeout: 30_000 });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  t.equal(stdout, "line\n0\n");
  t.equal(stderr, "");
});

t.test("health shows the daemon, why it is not ready, and an engine", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /health", { body: { status: "ok", version: "9.9.9", uptime_s: 12 } });
  server.on("GET /ready", { body: { status: "ready", version: "9.9.9" } });
  t.equal((await orchctl(["health"])).stdout, "orchd 9.9.9 is ready, up 12 s\n");
  server.on("GET /ready", fault(503, "SERVICE_UNAVAILABLE", "the database does not answer"));
  const unready = await orchctl(["health"]);
  t.equal(unready.code, 7);
  t.match(unready.stderr, /orchd 9\.9\.9 is up 12 s, but not ready: the database does not answer/);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const ran = await orchctl(["health", "--engine", "alice"], { env: KEY });
  t.match(ran.stdout, /status +ok\n/);
});

t.test("irreversible commands need --yes without a terminal", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice", { body: engine() });
  server.on("DELETE /engines/alice", { body: { destroyed: true } });
  server.on("GET /products/demo", { body: product() });
  const env = { ...KEY, ORCH_ADMIN_KEY: "admin-key-of-the-test" };
  for (const args of [
    ["engines", "destroy", "alice"],
    ["products", "delete", "demo"],
    ["memory", "erase", "alice"],
  ]) {
    const ran = await orchctl(args, { env });
    t.equal(ran.code, 2, args.join(" "));
    const about = args[0] === "products" ? "product demo" : "user alice";
    t.match(ran.stderr, `needs --yes (${about}, ${server.url})\n`);
    t.match(ran.stderr, "orchctl: nothing was changed: ");
  }
  t.notOk(server.calls.some(({ method }) => method === "DELETE"));
});

t.test("destroy without an engine erases the kept data, and --keep-data says what stays", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const destroy = (user: string, ...options: string[]) =>
    orchctl(["engines", "destroy", user, "--yes", ...options], { env: KEY });
  const absent = fault(404, "ENGINE_NOT_FOUND", "no engine for this user_id");
  server.on("GET /engines/kim", absent);
  server.on("DELETE /engines/kim", { body: { destroyed: true } });
  t.equal((await destroy("kim", "--keep-data")).code, 4);
  t.equal((await destroy("kim", "--dry-run")).code, 4);
  t.notOk(server.calls.some(({ method }) => method === "DELETE"));
  const erased = await destroy("kim");
  t.equal(erased.code, 0, erased.stderr);
  t.equal(erased.stdout, "kim has no engine; the kept data are erased\n");
  t.equal(server.calls.at(-1)?.path, "/engines/kim?keep_data=false");
  server.on("DELETE /engines/kim", absent);
  const nothing = await destroy("kim");
  t.equal(nothing.code, 4);
  t.notMatch(nothing.stderr, /provision/);
  server.on("GET /engines/kim", { body: engine({ user_id: "kim" }) });
  server.on("DELETE /engines/kim", { body: { destroyed: true } });
  const kept = await destroy("kim", "--keep-data");
  t.equal(kept.stdout, "the engine of kim is destroyed; its data is kept for the next engine of kim\n");
});

t.test("a refusal names user, product and address, and what helps", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  await orchctl(["products", "register", "demo"], { env: { ORCH_ADMIN_KEY: "admin-key-of-the-test" } });
  server.on("GET /engines/bob", fault(404, "ENGINE_NOT_FOUND", "no engine for this user_id"));
  const where = `(ENGINE_NOT_FOUND, user bob, product demo, ${server.url}, request req-1)`;
  const shown = await orchctl(["engines", "show", "bob"]);
  t.match(shown.stderr, `orchctl: no engine for this user_id ${where}\n`);
  t.match(shown.stderr, "orchctl engines provision bob creates one");
  server.on("DELETE /engines/bob", fault(404, "ENGINE_NOT_FOUND", "no engine for this user_id"));
  const destroyed = await orchctl(["engines", "destroy", "bob", "--yes"]);
  t.match(destroyed.stderr, where);
  t.notMatch(destroyed.stderr, /provision/);
  t.match(destroyed.stderr, "orchctl engines list");
});

t.test("health shows an engine's model status, part by part", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const model = { status: "unreachable", last_error: "ECONNREFUSED", next_try: null };
  server.on("GET /health", { body: { status: "ok", uptime_s: 7, model } });
  const ran = await orchctl(["health", "--engine", "alice"], { env: KEY });
  t.equal(
    ran.stdout,
    "status            ok\nuptime_s          7\nmodel.status      unreachable\nmodel.last_error  ECONNREFUSED\nmodel.next_try    -\n",
  );
  server.on("GET /health", { body: "<html>" });
  const strange = await orchctl(["health", "--engine", "alice"], { env: KEY });
  t.equal(strange.code, 1);
  t.match(strange.stderr, /http:\S+ answered 200 with .*, which is not an answer of orchd/);
  server.on("GET /health", { status: 500, body: "<html>" });
  t.equal((await orchctl(["health", "--engine", "alice"], { env: KEY })).code, 7);
});

t.test("a key is kept even when nobody reads what is printed, and printed even when it cannot be kept", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /engines/provision", born);
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  const env = { ...orchctl.env, ...KEY, ORCH_ADMIN_KEY: "admin-key-of-the-test" };
  for (const [args, key] of [
    ["engines provision alice", /sk-orch-shown-once/],
    ["products register demo", /orchp_\w{38}/],
  ] as const) {
    const command = `"${process.execPath}" bin/orchctl.js ${args} | true; exit "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command], { env, timeout: 30_000 });
    await once(child, "close");
    t.match(readFileSync(join(orchctl.configDir, "credentials.json"), "utf8"), key, args);
    const nowhere = { ...env, ORCHCTL_CONFIG_DIR: "/dev/null/config" };
    const ran = await orchctl(args.split(" "), { env: nowhere });
    t.not(ran.code, 0);
    t.match(ran.stdout, key, args);
  }
});
