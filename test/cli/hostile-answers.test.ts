import { readFileSync, readdirSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { type FakeServer, engine, product, startFakeServer } from "../helpers/fake-server.ts";
import { type Orchctl, orchctlFor } from "../helpers/orchctl.ts";

const KEYS = {
  ORCH_ADMIN_KEY: "admin-key-of-the-test",
  ORCH_PLATFORM_KEY: "orchp_of-the-test",
  ORCH_ENGINE_KEY: "sk-orch-of-the-test",
};
/** Clears the screen, sets the title, moves the line's end before its beginning. */
const ATTACK = "\u001b[2J\u009b31m\u001b]0;owned\u0007\u202e\u2028";
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** Every text of a value with the attack behind it. */
function hostile(value: unknown): unknown {
  if (typeof value === "string") return value + ATTACK;
  if (Array.isArray(value)) return value.map(hostile);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hostile(inner)]));
}

async function attacker(t: Test): Promise<{ server: FakeServer; orchctl: Orchctl }> {
  const server = await startFakeServer(t);
  return { server, orchctl: orchctlFor(t, server) };
}

const last_error = {
  phase: "boot",
  reason: "why",
  exit_code: 1,
  signal: "SIGKILL",
  oom: false,
  log_tail: ["line"],
  at: "now",
} as const;
const event = {
  id: "evt_1",
  type: "engine.crashed",
  time: "now",
  product_id: "prd_1",
  user_id: "alice",
  engine_id: "eng_1",
  incarnation: "i",
  from: "running",
  to: "backoff",
  reason: "why",
  actor: "orchd",
  request_id: "r",
  data: { exit: "code" },
};
const status = {
  version: "1",
  host_id: "host",
  uptime_s: 1,
  draining: false,
  breaker: "closed",
  engines: {},
  boots: { starting: 0, waiting: 0 },
  ports: { min: 1, max: 2, total: 2, taken: 0, free: 2, resting: 0, quarantined: 0 },
  load: { average: 1, cores: 1, memory_available_mb: 1, memory_total_mb: 1, disk_free_mb: 1 },
  isolation: { mode: "auto", parts: [{ name: "user", active: false, problem: "why", fix: "how", detail: null }] },
  awake: { engines: 1, limit: 2 },
  backup: { every_h: 24, newest_at: "2026-11-01T00:00:00.000Z", running: false, problem: "why" },
  orphans: [{ incarnation: "i", pids: [1], fix: "kill 1" }],
  warnings: ["warning"],
};
const backup = { name: "orchd", started_at: "now", engines: { done: 1, total: 2 }, incomplete: ["why"], reason: "why" };
const backups = {
  dir: "/backups",
  data: [{ name: "orchd", created_at: "now", bytes: 1, encrypted: true }],
  running: { ...backup, outcome: null },
  last: { ...backup, outcome: "failed" },
};
const audit = { seq: 1, entry: JSON.stringify({ at: `now${ATTACK}` }), prev_hash: "p", hash: "h" };
const page = (...data: unknown[]) => ({ data, next_cursor: null });

const READS: readonly (readonly [args: string, route: string, answer: unknown])[] = [
  ["engines show alice", "GET /engines/alice", engine({ last_error, stop_reason: "why", metadata: { a: "b" } })],
  ["engines list", "GET /engines", page(engine())],
  ["engines start alice", "POST /engines/alice/start", engine()],
  ["engines stop alice", "POST /engines/alice/stop", { ...engine(), stop_result: "drained" }],
  ["engines wait alice", "GET /engines/alice/wait", engine()],
  ["engines provision alice", "POST /engines/provision", { ...engine(), engine_api_key: "sk" }],
  ["products show demo", "GET /products/demo", product({ name: "Demo", engine_env_names: ["LLM_MODEL"] })],
  ["products list", "GET /products", page(product({ name: "Demo" }))],
  ["products register demo", "POST /products/register", { ...product(), platform_api_key: "orchp" }],
  ["events", "GET /events", page(event)],
  ["status", "GET /admin/status", status],
  ["backup list", "GET /admin/backups", backups],
  ["health", "GET /health", { status: "ok", version: "1", uptime_s: "2" }],
  ["audit list", "GET /admin/audit", page(audit)],
];

t.test("nothing that a daemon answers steers the terminal, and with --json it stays JSON", async (t) => {
  const { server, orchctl } = await attacker(t);
  server.on("GET /ready", { body: hostile({ status: "ready" }) });
  server.on("GET /health", { body: hostile({ version: "1", role: "follower", leader: "host" }) });
  for (const [args, route, answer] of READS) {
    const body = route.endsWith("/audit") ? answer : hostile(answer);
    server.on(route, ({ path }) => ({ body: path.includes("after=1") ? page() : body }));
    for (const json of [false, true]) {
      const ran = await orchctl([...args.split(" "), ...(json ? ["--json"] : [])], { env: KEYS });
      t.equal(ran.code, 0, `${args}: ${ran.stderr}`);
      t.notMatch(ran.stdout + ran.stderr, CONTROLS, args);
      if (json) t.ok(JSON.stringify(JSON.parse(ran.stdout)).includes("\u202e"), `${args} --json keeps the text`);
    }
  }
});

t.test("a refusal's code and message do not steer the terminal, be they the daemon's or the engine's", async (t) => {
  const { server, orchctl } = await attacker(t);
  for (const json of [[], ["--json"]]) {
    const code = `A_CODE${ATTACK}`;
    server.on("GET /engines/alice", { status: 409, body: { error: { code, message: `words${ATTACK}` } } });
    const refused = await orchctl(["engines", "show", "alice", ...json], { env: KEYS });
    t.equal(refused.code, 5);
    t.notMatch(refused.stderr, CONTROLS);
    server.on("GET /engines/alice", { body: engine({ url: server.url }) });
    server.on("POST /execute", { status: 409, body: { error: code, message: `words${ATTACK}` } });
    const turn = await orchctl(["chat", "alice", "hi", ...json], { env: KEYS });
    t.equal(turn.code, 5);
    t.notMatch(turn.stderr, CONTROLS);
    if (json.length > 0) t.match(JSON.parse(refused.stderr), { error: { code, message: /^words/ } });
  }
  const typed = await orchctl(["engines", ATTACK], { env: KEYS });
  t.equal(typed.code, 2);
  t.notMatch(typed.stderr, CONTROLS, "what was typed is cleaned as well");
});

t.test("nothing that an engine says in a turn, of its memory or its health steers the terminal", async (t) => {
  const { server, orchctl } = await attacker(t);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const events: [string, Record<string, unknown>][] = [
    ["content_block_start", { block_index: 0, block_type: "thinking" }],
    ["thinking_delta", { text: "thought" }],
    ["text_delta", { text: "text" }],
    ["tool_call", { tool: "tool", tool_call_id: "c", input: { a: "b" } }],
    ["tool_result", { tool: "tool", tool_call_id: "c", output: "out", error: null }],
    ["working_memory_update", { entry_type: "note", content: "content" }],
    ["compaction_event", { before_tokens: "1", after_tokens: "2" }],
    ["usage", { input_tokens: "1", output_tokens: "2", cache_hit_tokens: "3" }],
    ["hitl_request", { request_id: "r", kind: "question", question: "Q?", context: {}, options: ["one"] }],
    ["hitl_resolved", { request_id: "r", answer: "one" }],
  ];
  server.on("POST /execute", (_call, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [name, data] of events) {
      const fixed = name === "content_block_start" ? data : hostile(data);
      response.write(`event: ${name}\ndata: ${JSON.stringify(fixed)}\n\n`);
    }
    response.end(`event: thread_lifecycle\ndata: {"phase":"completed"}\n\n`);
  });
  server.on("POST /hitl/respond", { body: {} });
  server.on("GET /health", { body: hostile({ status: "ok", model: { status: "ok" } }) });
  server.on("GET /memory/knowledge", {
    body: {
      items: [
        hostile({ id: "k", created_at: "2026-11-01T12:00:00Z", content: "c", trust: "user", invalidated_at: null }),
      ],
      next_cursor: `next${ATTACK}`,
    },
  });
  server.on("GET /memory/export", (_call, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write(`${JSON.stringify({ type: "header", text: ATTACK })}\n`);
    response.end(`${JSON.stringify({ type: "end", counts: {} })}\n`);
  });
  for (const args of [
    ["chat", "alice", "hi", "--auto", "first"],
    ["health", "--engine", "alice"],
    ["memory", "list", "alice", "knowledge"],
    ["memory", "export", "alice"],
  ]) {
    for (const json of [[], ["--json"]]) {
      const ran = await orchctl([...args, ...json], { env: KEYS });
      t.equal(ran.code, 0, ran.stderr);
      t.notMatch(ran.stdout + ran.stderr, CONTROLS, args.join(" "));
    }
  }
});

t.test("only one place writes to the terminal", async (t) => {
  const cli = resolve(import.meta.dirname, "../../cli");
  const writers = readdirSync(cli, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) =>
      /process\.std(?:out|err)\.write\(|\bconsole\.(?:log|info|warn|error|debug)\(/.test(
        readFileSync(join(cli, name), "utf8"),
      ),
    );
  t.same(writers, []);
});

/** Writes until the reader leaves. */
function pour(response: ServerResponse, type: string, chunk: string): void {
  response.writeHead(200, { "content-type": type });
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

t.test("an answer without an end is left at a bound, whatever asks for it", async (t) => {
  const { server, orchctl } = await attacker(t);
  const chunk = "x".repeat(1024 * 1024);
  const endless = (route: string, type = "application/json") =>
    server.on(route, (_call, response) => pour(response, type, chunk));
  const limited = { ...KEYS, NODE_OPTIONS: "--max-old-space-size=400" };
  const refused = async (args: string, ownProcess = true) => {
    const ran = await orchctl(args.split(" "), { env: limited, ownProcess });
    t.equal(ran.code, 1, `${args}: ${ran.stderr.slice(0, 500)}`);
    t.match(ran.stderr, /longer than|more than/, args);
  };
  endless("GET /health");
  await refused("health");
  endless("GET /engines/alice");
  await refused("engines show alice", false);
  endless("GET /engines/alice/logs", "text/plain");
  await refused("logs alice", false);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  await refused("health --engine alice", false);
  endless("POST /execute", "text/event-stream");
  await refused("chat alice hi");
  endless("GET /memory/export", "application/x-ndjson");
  await refused("memory export alice");
  server.on("GET /engines", { body: { data: [engine()], next_cursor: "eng_1" } });
  const list = await orchctl(["engines", "list"], { env: KEYS });
  t.equal(list.code, 1, "a list whose pages lead in a circle");
});
