import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { type FakeServer, engine, product, startFakeServer } from "../helpers/fake-server.ts";
import { type Orchctl, orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: "sk-orch-of-the-test" };

type Sent = readonly [event: string, data: Record<string, unknown>];

/** A server that is daemon and engine at once, with a running engine of alice. */
async function withEngine(t: Test): Promise<{ server: FakeServer; orchctl: Orchctl }> {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  server.on("POST /hitl/respond", ({ body }) => ({ body: { request_id: body.request_id, status: "resolved" } }));
  return { server, orchctl: orchctlFor(t, server) };
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1" });
}

function send(response: ServerResponse, events: readonly Sent[], firstSeq = 1): void {
  const stamp = (seq: number) => ({ ts: "2026-11-01T12:00:00.000Z", seq, task_id: "t", turn_id: "turn_1" });
  events.forEach(([event, data], index) => {
    const stamped = event === "heartbeat" ? data : { ...data, ...stamp(firstSeq + index) };
    response.write(`event: ${event}\ndata: ${JSON.stringify(stamped)}\n\n`);
  });
}

const STARTED: Sent = ["thread_lifecycle", { phase: "started" }];
const COMPLETED: Sent = ["thread_lifecycle", { phase: "completed" }];
const text = (words: string): Sent => ["text_delta", { text: words }];
const question = (more: Record<string, unknown> = {}): Sent => [
  "hitl_request",
  { request_id: "hitl-1", kind: "question", question: "Short?", context: {}, options: ["short", "detailed"], ...more },
];

/** Ends the turn once the question is answered. */
function endsWhenAnswered(server: FakeServer, sent: readonly Sent[]): void {
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, sent);
    server.on("POST /hitl/respond", ({ body }) => {
      send(response, [["hitl_resolved", { request_id: body.request_id, answer: body.answer }], COMPLETED], 100);
      response.end();
      return { body: { request_id: body.request_id, status: "resolved" } };
    });
  });
}
const answers = (server: FakeServer) => server.calls.filter(({ path }) => path === "/hitl/respond").map((c) => c.body);

t.test("a turn is shown as it goes: thinking, text, a tool with its result, usage and the end", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [
      STARTED,
      ["content_block_start", { block_index: 0, block_type: "thinking" }],
      ["thinking_delta", { text: "Let me " }],
      ["thinking_delta", { text: "think." }],
      ["content_block_stop", { block_index: 0, block_type: "thinking" }],
      ["content_block_start", { block_index: 1, block_type: "text" }],
      text("One\ntwo \u001b[2Jthree"),
      ["heartbeat", { now: "2026-11-01T12:00:00.000Z" }],
      ["content_block_stop", { block_index: 1, block_type: "text" }],
      ["tool_call", { tool: "list_files", tool_call_id: "c1", input: { path: "." } }],
      ["tool_result", { tool: "list_files", tool_call_id: "c1", output: "x".repeat(1000), error: null }],
      ["tool_result", { tool: "read_file", tool_call_id: "c2", output: null, error: "no such file" }],
      ["usage", { input_tokens: 10, output_tokens: 5, cache_hit_tokens: 3 }],
      COMPLETED,
    ]);
    response.end();
  });
  const ran = await orchctl(["chat", "alice", "What", "can you do?", "--task", "t"], { env: KEYS });
  t.equal(ran.code, 0, ran.stderr);
  t.equal(
    ran.stdout,
    [
      "∴ Let me think.",
      "One",
      "two \\u{1b}[2Jthree",
      '▸ list_files {"path":"."}',
      `  ↳ ${"x".repeat(300)}…`,
      "  ↳ failed: no such file",
      "— turn completed; 10 tokens in (3 cached), 5 out",
      "",
    ].join("\n"),
  );
  const call = server.calls.find(({ path }) => path === "/execute");
  t.equal(call?.headers["x-engine-key"], KEYS.ORCH_ENGINE_KEY);
  t.same(call?.body, { task_id: "t", message: "What can you do?", thinking: true });
});

t.test("with --json the events come through, one a line, as they are", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, text("hi"), COMPLETED]);
    response.end();
  });
  const { stdout } = await orchctl(["chat", "alice", "hi", "--json"], { env: KEYS });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  t.same(
    lines.map(({ event, data }) => [event, data.seq]),
    [
      ["thread_lifecycle", 1],
      ["text_delta", 2],
      ["thread_lifecycle", 3],
    ],
  );
});

t.test("files are attached to the message, and shown by name and size", async (t) => {
  const { server, orchctl } = await withEngine(t);
  const file = {
    kind: "image",
    media_type: "image/png",
    digest: "0",
    path: ".orch/attachments/x",
    width: 1,
    height: 1,
  };
  server.on("POST /execute", (_call, response) => {
    open(response);
    const [shown, drawn] = [
      { ...file, name: "a.png", bytes: 12_345 },
      { ...file, name: "b\u001b[2J.png", bytes: 2_500_000 },
    ];
    const result = { tool: "draw", tool_call_id: "c1", output: "done", error: null, attachments: [drawn] };
    send(response, [
      ["thread_lifecycle", { phase: "started", attachments: [shown] }],
      ["tool_result", result],
      COMPLETED,
    ]);
    response.end();
  });
  const dir = t.testdir({ "a.png": "bytes", "b.txt": "more" });
  const attach = ["--attach", `${dir}/a.png`, "--attach", `${dir}/b.txt`];
  const ran = await orchctl(["chat", "alice", "What is this?", ...attach], { env: KEYS });
  t.equal(ran.code, 0, ran.stderr);
  const lines = [
    "+ a.png, image/png, 12 kB",
    "  ↳ done",
    "  + b\\u{1b}[2J.png, image/png, 2.5 MB",
    "— turn completed",
    "",
  ];
  t.equal(ran.stdout, lines.join("\n"));
  t.same(server.calls.at(-1)?.body.message, [
    { type: "text", text: "What is this?" },
    { type: "file", data: "Ynl0ZXM=", name: "a.png" },
    { type: "file", data: "bW9yZQ==", name: "b.txt" },
  ]);
  const missing = await orchctl(["chat", "alice", "x", "--attach", `${dir}/nowhere`], { env: KEYS });
  t.equal(missing.code, 2);
  t.match(missing.stderr, /nowhere cannot be attached: no such file/);
});

t.test("the message may come from standard input; without any, an example is asked", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, COMPLETED]);
    response.end();
  });
  const piped = await orchctl(["chat", "alice"], { env: KEYS, input: "line one\nline two\n" });
  t.match(server.calls.at(-1)?.body, { message: "line one\nline two", task_id: /^chat-\d{8}-\d{4}-[0-9a-f]{6}$/ });
  t.match(piped.stderr, /Task chat-/, "so that the conversation can go on");
  const bare = await orchctl(["chat", "alice"], { env: KEYS });
  t.match(bare.stderr, /No message given; sending: What can you do\?/);
  t.equal(server.calls.at(-1)?.body.message, "What can you do?");
});

t.test("a question is answered as scripted, by number or words, or by rule", async (t) => {
  const { server, orchctl } = await withEngine(t);
  for (const [options, answer] of [
    [["--answer", "2"], "detailed"],
    [["--answer", "short"], "short"],
    [["--auto", "first"], "short"],
    [["--answer", "detailed", "--auto", "first"], "detailed"],
  ] as const) {
    endsWhenAnswered(server, [STARTED, question()]);
    const ran = await orchctl(["chat", "alice", "hi", ...options], { env: KEYS });
    t.equal(ran.code, 0, ran.stderr);
    t.same(answers(server).at(-1), { request_id: "hitl-1", answer });
    t.match(ran.stdout, `? Short?\n  1. short\n  2. detailed\n  answered: ${answer}\n— turn completed\n`);
  }
});

t.test(
  "a question that nobody can answer ends the chat with an exit code of its own and the request's id",
  async (t) => {
    const { server, orchctl } = await withEngine(t);
    server.on("POST /execute", (_call, response) => {
      open(response);
      send(response, [STARTED, question()]);
    });
    const ran = await orchctl(["chat", "alice", "hi"], { env: KEYS });
    t.equal(ran.code, 9, ran.stderr);
    t.same(answers(server), [], "it stays open");
    t.match(ran.stdout, "? Short?\n  1. short\n  2. detailed\n");
    t.match(
      ran.stderr,
      /orchctl: the turn waits for an answer to request hitl-1, and there is no terminal to ask on\n/,
    );
    t.match(ran.stderr, "(orchctl answer alice hitl-1 ANSWER");
    const json = await orchctl(["chat", "alice", "hi", "--json"], { env: KEYS });
    t.equal(json.code, 9);
    t.match(JSON.parse(json.stderr.split("\n").at(-2) ?? ""), { error: { code: "waiting", message: /hitl-1/ } });
    server.on("POST /execute", (_call, response) => {
      open(response);
      send(response, [STARTED, question({ options: [] })]);
    });
    t.equal(
      (await orchctl(["chat", "alice", "hi", "--auto", "first"], { env: KEYS })).code,
      9,
      "there is no first option",
    );
  },
);

t.test("open questions are listed, and answered by number or words from another command", async (t) => {
  const { server, orchctl } = await withEngine(t);
  const request = { ...question()[1], task_id: "t", turn_id: "turn_1", created_at: "2026-11-01T12:00:00.000Z" };
  server.on("GET /hitl/pending", { body: { requests: [request] } });
  const open = { data: [{ ...request, user_id: "alice" }], next_cursor: null };
  server.on("GET /questions", { body: open });
  const listed = await orchctl(["questions", "alice"], { env: KEYS });
  t.equal(
    listed.stdout,
    "hitl-1  alice, task t, since 2026-11-01T12:00:00.000Z\n  Short?\n  1. short\n  2. detailed\n",
    listed.stderr,
  );
  t.same(JSON.parse((await orchctl(["questions", "alice", "--json"], { env: KEYS })).stdout), open);
  t.match(server.calls.at(-1), { path: "/questions?limit=200&user_id=alice" });
  const answered = await orchctl(["answer", "alice", "hitl-1", "2"], { env: KEYS });
  t.equal(answered.stdout, "answered hitl-1: detailed\n", answered.stderr);
  const wrong = await orchctl(["answer", "alice", "hitl-1", "maybe"], { env: KEYS });
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, /expected one of the options, or its number:\n.*1\. short\n.*2\. detailed/);
  const unknown = await orchctl(["answer", "alice", "hitl-9", "2"], { env: KEYS });
  t.equal(unknown.code, 4);
  t.match(unknown.stderr, /no open question has the ID hitl-9: .*\n\(orchctl questions alice lists the open ones\)/);
  t.same(answers(server), [{ request_id: "hitl-1", answer: "detailed" }]);
  server.on("GET /questions", { body: { data: [], next_cursor: null } });
  t.equal((await orchctl(["questions", "list", "alice"], { env: KEYS })).stdout, "no open questions\n");
});

t.test("questions answer passes the answer on through the daemon, without a key of the engine", async (t) => {
  const { server, orchctl } = await withEngine(t);
  const asked = { ...question()[1], user_id: "alice", task_id: "t", created_at: "2026-11-01T12:00:00.000Z" };
  server.on("GET /questions", { body: { data: [asked], next_cursor: null } });
  server.on("POST /engines/alice/questions/hitl-1", { body: { request_id: "hitl-1", status: "resolved" } });
  const ran = await orchctl(["questions", "answer", "alice", "hitl-1", "2"], { env: KEYS });
  t.equal(ran.stdout, "answered hitl-1: detailed\n", ran.stderr);
  t.match(server.calls.at(-1), { method: "POST", body: { answer: "detailed" } });
  const wrong = await orchctl(["questions", "answer", "alice", "hitl-1", "maybe"], { env: KEYS });
  t.equal(wrong.code, 2, wrong.stderr);
});

t.test("answer --follow shows the rest of the turn, from behind the answer", async (t) => {
  const { server, orchctl } = await withEngine(t);
  const request = { ...question()[1], task_id: "t", turn_id: "turn_1", created_at: "2026-11-01T12:00:00.000Z" };
  server.on("GET /hitl/pending", { body: { requests: [request] } });
  server.on("GET /execute/replay", (_call, response) => {
    open(response);
    const resolved: Sent = ["hitl_resolved", { request_id: "hitl-1", answer: "short" }];
    send(response, [STARTED, text("before"), question(), resolved, text("after"), COMPLETED]);
    response.end();
  });
  const ran = await orchctl(["answer", "alice", "hitl-1", "short", "--follow"], { env: KEYS });
  t.equal(ran.code, 0, ran.stderr);
  t.equal(ran.stdout, "answered hitl-1: short\nafter\n— turn completed\n");
});

t.test("a turn that takes longer than --timeout is cancelled, whether or not the engine still answers", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, text("working")]);
  });
  server.on("POST /execute/cancel", { body: { cancelled: true } });
  const ran = await orchctl(["chat", "alice", "hi", "--task", "mine", "--timeout", "1s"], { env: KEYS });
  t.equal(ran.code, 8, ran.stderr);
  t.equal(ran.stdout, "working\n");
  const words = `the turn did not end within 1 s; it is cancelled (TIMEOUT, user alice, ${server.url})`;
  t.match(ran.stderr, `orchctl: ${words}\n`);
  t.same(server.calls.at(-1)?.body, { task_id: "mine" });
  server.on("POST /execute/cancel", () => new Promise<void>(() => undefined));
  t.equal((await orchctl(["chat", "alice", "hi", "--timeout", "1s"], { env: KEYS })).code, 8);
});

t.test("--agent, --model and --effort say who answers, and how", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, COMPLETED]);
    response.end();
  });
  const sent = async (...options: string[]) => {
    const ran = await orchctl(["chat", "alice", "hi", ...options], { env: KEYS });
    const { agent, model, effort } = server.calls.at(-1)?.body ?? {};
    return { code: ran.code, agent, model, effort };
  };
  const none = { agent: undefined, model: undefined, effort: undefined };
  t.strictSame(await sent(), { code: 0, ...none });
  t.strictSame(await sent("--agent", "planner"), { code: 0, ...none, agent: "planner" });
  const chosen = { model: "openai:gpt-6", effort: "high" };
  t.strictSame(await sent("--model", chosen.model, "--effort", chosen.effort), { code: 0, ...none, ...chosen });
  const calls = server.calls.length;
  const refused = await orchctl(["chat", "alice", "hi", "--effort", "most"], { env: KEYS });
  t.match(refused, { code: 2, stderr: /--effort.*low, medium, high/ });
  t.equal(server.calls.length, calls, "a level that does not exist is not sent");
});

t.test("a question that somebody else has answered meanwhile does not end the chat", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /hitl/respond", {
    status: 409,
    body: { error: "HITL_ALREADY_ANSWERED", message: "answered otherwise" },
  });
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, question(), ["hitl_resolved", { request_id: "hitl-1", answer: "detailed" }], COMPLETED]);
    response.end();
  });
  const ran = await orchctl(["chat", "alice", "hi", "--auto", "first"], { env: KEYS });
  t.equal(ran.code, 0, ran.stderr);
  t.match(ran.stdout, /answered: detailed\n— turn completed/);
});

t.test("a connection that is cut is taken up again, with every event once", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, text("one "), text("two ")]);
    // A cut in the middle of a frame, as a proxy makes it.
    response.write("event: text_delta\ndata: {", () => response.socket?.destroy());
  });
  let tries = 0;
  server.on("GET /execute/replay", (_call, response) => {
    if (tries++ === 0) return { status: 503, body: { error: "ENGINE_DRAINING", message: "later" } };
    open(response);
    send(response, [text("two "), text("three"), COMPLETED], 3);
    response.end();
    return undefined;
  });
  const ran = await orchctl(["chat", "alice", "hi"], { env: KEYS });
  t.equal(ran.code, 0, ran.stderr);
  t.equal(ran.stdout, "one two three\n— turn completed\n");
  t.equal(server.calls.at(-1)?.path, "/execute/replay?after=3&turn_id=turn_1&follow=true");
  t.equal(server.calls.at(-1)?.headers.accept, "text/event-stream");
});

t.test("a turn that fails ends with the exit code of its error, after what it had said", async (t) => {
  const { server, orchctl } = await withEngine(t);
  for (const [error, code] of [
    ["LLM_RATE_LIMITED", 6],
    ["LLM_PROVIDER_ERROR", 7],
    ["CHANNEL_EXPIRED", 8],
    ["CANCELLED", 130],
  ] as const) {
    server.on("POST /execute", (_call, response) => {
      open(response);
      const failure = { error, message: "it failed" };
      send(response, [
        STARTED,
        text("half"),
        ["thread_lifecycle", { phase: "errored", ...failure }],
        ["error", failure],
      ]);
      response.end();
    });
    const ran = await orchctl(["chat", "alice", "hi"], { env: KEYS });
    t.equal(ran.code, code);
    t.equal(ran.stdout, "half\n");
    t.match(ran.stderr, `orchctl: the turn failed: it failed (${error}, user alice, ${server.url})\n`);
  }
});

t.test("Ctrl-C cancels the turn and waits for its end", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [STARTED, text("working")]);
    server.on("POST /execute/cancel", () => {
      send(response, [["error", { error: "CANCELLED", message: "cancelled" }]], 3);
      response.end();
      return { body: { cancelled: true } };
    });
  });
  let interrupted = false;
  const ran = await orchctl(["chat", "alice", "hi", "--task", "mine"], {
    env: KEYS,
    onOutput(printed, child) {
      if (!interrupted && printed.includes("working")) interrupted = child.kill("SIGINT");
    },
  });
  t.equal(ran.code, 130);
  t.same(server.calls.at(-1)?.body, { task_id: "mine" });
});

t.test("a stopped or busy engine is reported with advice", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", { status: 409, body: { error: "TASK_BUSY", message: "a turn is in flight" } });
  const busy = await orchctl(["chat", "alice", "hi"], { env: KEYS });
  t.equal(busy.code, 5);
  t.match(busy.stderr, /a turn is in flight \(TASK_BUSY, user alice, http:\S+\)/);
  server.on("GET /engines/alice", { body: engine({ state: "stopped", running: false }) });
  const stopped = await orchctl(["chat", "alice", "hi"], { env: KEYS });
  t.equal(stopped.code, 5);
  t.match(stopped.stderr, /the engine is stopped; orchctl engines start alice starts it/);
});

t.test("a wrong ORCH_ENGINE_KEY is distinguished from a stored key", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /execute", { status: 401, body: { error: "INVALID_ENGINE_KEY", message: "missing or wrong" } });
  const only = await orchctl(["chat", "alice", "hi"], { env: KEYS });
  t.equal(only.code, 3);
  t.match(only.stderr, "the key of ORCH_ENGINE_KEY is not accepted by alice's engine (INVALID_ENGINE_KEY, user alice,");
  t.match(only.stderr, "(orchctl engines rotate-key alice creates a new key)");
  server.on("POST /engines/provision", { status: 201, body: { ...engine(), engine_api_key: "sk-orch-abcdef" } });
  await orchctl(["engines", "provision", "alice"], { env: KEYS });
  const beside = await orchctl(["chat", "alice", "hi"], { env: KEYS });
  t.match(beside.stderr, "(unset it to use the stored key)");
  t.notMatch(beside.stderr, "rotate-key");
  const { ORCH_PLATFORM_KEY } = KEYS;
  const kept = await orchctl(["chat", "alice", "hi"], { env: { ORCH_PLATFORM_KEY } });
  t.match(kept.stderr, /missing or wrong .*\n\(orchctl engines rotate-key alice/);
});

t.test("a failure of a turn names the product of the stored key", async (t) => {
  const { server, orchctl } = await withEngine(t);
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  const { ORCH_ENGINE_KEY } = KEYS;
  await orchctl(["products", "register", "demo"], { env: { ORCH_ADMIN_KEY: "admin-key-of-the-test" } });
  server.on("POST /execute", (_call, response) => {
    open(response);
    send(response, [["error", { error: "LLM_PROVIDER_ERROR", message: "it failed" }]]);
    response.end();
  });
  const ran = await orchctl(["chat", "alice", "hi"], { env: { ORCH_ENGINE_KEY } });
  const where = `(LLM_PROVIDER_ERROR, user alice, product demo, ${server.url})`;
  t.match(ran.stderr, `orchctl: the turn failed: it failed ${where}\n`);
});
