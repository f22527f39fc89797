import t from "tap";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { agentOf } from "./parts/ag-ui-agent.ts";
import { ANSWERS } from "./parts/any-protocol.ts";
import { LEGACY_MCP, RAW_CALLS, RAW_PROTOCOLS, sendRaw } from "./parts/raw-calls.ts";

const engine = await startEngine(t, { policy: { when_busy: "queue" } });
const turnsOf = async (task: string) => (await engine.call(`/turns?task_id=${encodeURIComponent(task)}`)).body.items;
const waitingIn = async (task: string) => (await engine.call(`/tasks/${task}/inbox`)).body.messages;
const begin = async (task: string, message: string): Promise<string> =>
  (await (await engine.execute({ task_id: task, message })).first("thread_lifecycle")).data["turn_id"];
const cancel = (task: string) => engine.call("/execute/cancel", { body: { task_id: task, inbox: true } });
const openIn = async (task: string) =>
  (await engine.call("/hitl/pending")).body.requests.filter(({ task_id }: { task_id: string }) => task_id === task);

let tasks = 0;
/** A message of a protocol that waits for the turn of another client. */
async function waiting(protocol: keyof typeof RAW_CALLS) {
  const task = `waits-${++tasks}`;
  const turn = await begin(task, "/fail silent");
  const left = new AbortController();
  const call = RAW_CALLS[protocol]({ task, text: "/say too late", id: "m1", cancels: true });
  const answer = sendRaw(engine, call, left.signal).catch(() => null);
  const [message] = await until("the message waits", async () => {
    const messages = await waitingIn(task);
    return messages.length === 1 && messages;
  });
  return { task, turn, answer, leave: () => left.abort(), messageId: message.message_id as string };
}

/** Protocols whose clients end what they have begun when they leave. */
const CANCELS = ["chat completions", "Responses", "AI SDK UI", "AG-UI", "MCP 2026-07-28"] as const;
for (const protocol of CANCELS)
  t.test(`attack: a client of ${protocol} that leaves while it waits ends the turn of nobody else`, async (t) => {
    const { task, turn, leave } = await waiting(protocol);
    leave();
    await until("its message is gone", async () => (await waitingIn(task)).length === 0);
    t.match(await turnsOf(task), [{ turn_id: turn, state: "running" }]);
    await cancel(task);
  });

for (const protocol of RAW_PROTOCOLS)
  t.test(`a message that is removed while its client of ${protocol} waits is an error of the protocol`, async (t) => {
    const { task, answer, messageId } = await waiting(protocol);
    await engine.call(`/tasks/${task}/inbox/${messageId}`, { method: "DELETE" });
    t.match(await answer, { status: 200, text: /the message was removed before a turn took it/ });
    await cancel(task);
  });

t.test("attack: the same message four times at once runs once", async (t) => {
  for (const protocol of RAW_PROTOCOLS) {
    const task = `at once ${protocol}`;
    const call = RAW_CALLS[protocol]({ task, text: "/stream 20 200", id: "m1" });
    const key = { "idempotency-key": `at-once-${tasks++}` };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => sendRaw(engine, { ...call, headers: { ...call.headers, ...key } })),
    );
    t.equal((await turnsOf(task)).length, 1, protocol);
    for (const { status, text } of answers) t.match({ status, text }, { status: 200, text: /word19/ }, protocol);
  }
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  sendRaw(engine, { path, body, headers });
const chat = (content: string, more: object = {}) => ({
  model: "default",
  messages: [{ role: "user", content }],
  ...more,
});

t.test("attack: one Idempotency-Key for two messages gets the answer of neither", async (t) => {
  const key = { "idempotency-key": "one-key" };
  const first = await post("/v1/chat/completions", chat("/say first"), key);
  t.equal((await post("/v1/chat/completions", chat("/say first"), key)).body.id, first.body.id);
  const refused = {
    status: 409,
    headers: { "x-should-retry": "false" },
    body: { error: { code: "idempotency_conflict" } },
  };
  t.match(await post("/v1/chat/completions", chat("/say second"), key), refused);
  t.match(await post("/v1/responses", { model: "default", input: "/say third" }, key), refused);
});

t.test("a long message that a client repeats runs once", async (t) => {
  // The record of a turn has the beginning of its message: the cut goes through a character.
  const text = `/say ${"x".repeat(494)}😀 and more`;
  const body = chat(text, { metadata: { task_id: "long" } });
  const first = await post("/v1/chat/completions", body);
  const again = await post("/v1/chat/completions", body, { "x-stainless-retry-count": "1" });
  t.equal(again.body.id, first.body.id);
  t.equal((await turnsOf("long")).length, 1);
  const other = chat(`${text.slice(0, 300)} another`, { metadata: { task_id: "long" } });
  t.not((await post("/v1/chat/completions", other, { "x-stainless-retry-count": "1" })).body.id, first.body.id);
});

t.test("attack: an answer that names the question of another task answers nothing", async (t) => {
  await engine.turn("mine", "/say mine");
  const [{ turn_id: mine }] = await turnsOf("mine");
  const asking = await engine.execute({ task_id: "theirs", message: '/tool write_file {"path":"a","content":"b"}' });
  const { data } = await asking.first("hitl_request");
  const { request_id: id } = data;
  const parts = [{ data: { request_id: id, answer: "allow_once" } }];
  const message = { messageId: "m9", taskId: mine, role: "ROLE_USER", parts };
  t.match(await post("/a2a", { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }), {
    body: { error: { code: -32602, message: /of the task/ } },
  });
  const approval = { type: "mcp_approval_response", approval_request_id: `mcpr_${id}`, approve: true };
  t.match(await post("/v1/responses", { model: "default", conversation: "mine", input: [approval] }), {
    status: 404,
    body: { error: { code: "hitl_not_found" } },
  });
  const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
  t.match(await post("/ag-ui", { threadId: "mine", runId: "r1", messages: [], resume }), { status: 404 });
  const confirmation = { type: "user.tool_confirmation", tool_use_id: `${mine}.${id}`, result: "allow" };
  t.match(await post("/v1/sessions/mine/events", { events: [confirmation] }), { status: 400 });
  const answered = { type: "dynamic-tool", state: "approval-responded", approval: { id, approved: true } };
  const messages = [{ id: mine, role: "assistant", parts: [answered] }];
  t.match(await post("/v1/ui/chat", { id: "mine", messages }), { status: 200 });
  t.equal((await openIn("theirs")).length, 1);
  await cancel("theirs");
});

t.test("attack: an id of 300,000 characters that every frame would repeat", async (t) => {
  const id = "x".repeat(300_000);
  const before = (await turnsOf("huge ids")).length;
  const said = { task: "huge ids", text: "/stream 1000", id: "m1" };
  for (const protocol of ["A2A", "MCP 2025-11-25", "MCP 2026-07-28"] as const) {
    const { body, ...call } = RAW_CALLS[protocol](said);
    const { text } = await sendRaw(engine, { ...call, body: { ...body, id } });
    t.match(text, /id: expected/, protocol);
    t.ok(text.length < 1000, protocol);
  }
  const { body, ...call } = RAW_CALLS["MCP 2025-11-25"](said);
  const { params } = body as unknown as { readonly params: object };
  const long = { ...body, params: { ...params, _meta: { progressToken: id } } };
  t.match(await sendRaw(engine, { ...call, body: long }), { status: 400, text: /progressToken: expected/ });
  t.equal((await turnsOf("huge ids")).length, before);
});

t.test("attack: a client of another MCP session ends the wait for no question", async (t) => {
  const initialize = async (elicitation: object) => {
    const params = {
      protocolVersion: LEGACY_MCP,
      capabilities: { elicitation },
      clientInfo: { name: "raw", version: "1" },
    };
    const { headers } = await post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params });
    return { "mcp-protocol-version": LEGACY_MCP, "mcp-session-id": String(headers["mcp-session-id"]) };
  };
  const [own, foreign] = [await initialize({ form: {} }), await initialize({ form: {} })];
  const call = RAW_CALLS["MCP 2025-11-25"]({ task: "asked-by-form", text: "/ask Which? | A | B\n/say fine", id: "m1" });
  const answer = sendRaw(engine, { ...call, headers: own });
  const [{ request_id: id }] = await until("it asks", async () => {
    const open = await openIn("asked-by-form");
    return open.length === 1 && open;
  });
  const decline = { jsonrpc: "2.0", id, result: { action: "cancel" } };
  t.equal((await post("/mcp", decline, foreign)).status, 202);
  t.equal(
    (await post("/mcp", { ...decline, result: { action: "accept", content: { answer: "A" } } }, own)).status,
    202,
  );
  t.match((await answer).text, /"status":"completed"/);
});

t.test("attack: names of prototypes as options", async (t) => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    t.match(await post("/v1/chat/completions", chat("/say x", { reasoning_effort: name })), {
      status: 400,
      body: { error: { param: "reasoning_effort" } },
    });
    const method = { jsonrpc: "2.0", id: 1, method: name, params: {} };
    t.match(await post("/a2a", method), { body: { error: { code: -32601 } } });
  }
});

const BODIES: Readonly<Record<string, string>> = {
  "deep lists": "[".repeat(100_000) + "]".repeat(100_000),
  "deep objects": '{"a":'.repeat(70) + "1" + "}".repeat(70),
  "200,000 values": JSON.stringify({ messages: Array.from({ length: 200_000 }, () => 1) }),
  "half of a text": '{"model":"MARKER-OF-A-BODY',
  "a form": "model=MARKER-OF-A-BODY",
  "a list": "[1]",
  null: "null",
  nothing: "",
  "keys of prototypes": '{"__proto__":{"model":"default"},"constructor":{"prototype":{"model":"default"}}}',
};
const said = { task: "refused", text: "/say x", id: "m1" };
const PATHS = [...new Set(RAW_PROTOCOLS.map((protocol) => RAW_CALLS[protocol](said).path)), "/v1/sessions"];
for (const [what, body] of Object.entries(BODIES))
  t.test(`attack: a body of ${what} is refused in the form of each protocol`, async (t) => {
    for (const path of PATHS) {
      const headers = {
        authorization: `Bearer ${engine.key}`,
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": LEGACY_MCP,
      };
      const { status, text, body: refused } = await ask(engine.url, path, { method: "POST", headers, body });
      // JSON-RPC refuses in an answer.
      t.ok(status === 400 || (path === "/a2a" && status === 200), `${path}: ${status} ${text.slice(0, 100)}`);
      t.ok(refused.error !== undefined || refused.type === "RUN_ERROR", path);
    }
    t.notMatch(engine.output(), /MARKER-OF-A-BODY/);
  });

t.test("attack: clients of two protocols that answer one question at once: one answer counts", async (t) => {
  const pairs = [
    ["AG-UI", "A2A"],
    ["A2A", "Managed Agents"],
    ["MCP", "Managed Agents"],
  ] as const;
  for (const [one, other] of pairs) {
    const task = `raced-${one}-${other}`.replaceAll(" ", "-");
    await sendRaw(engine, RAW_CALLS.A2A({ task, text: "/ask Which? | A | B\n/say fine", id: "m1" }));
    const [{ turn_id: taskId }] = await turnsOf(task);
    const answer = (protocol: (typeof pairs)[number][number], text: string) => {
      if (protocol !== "A2A") return ANSWERS[protocol](engine, task, text);
      // Without the task, one that is late begins another turn of the context.
      const message = { messageId: "m2", role: "ROLE_USER", taskId, parts: [{ text }] };
      return post("/a2a", { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
    };
    // The slower one may find no question any more.
    await Promise.all([answer(one, "A"), answer(other, "B")].map((sent) => sent.catch(() => null)));
    await until("the turn ends", async () => (await turnsOf(task))[0].state === "completed");
    t.equal((await turnsOf(task)).length, 1, task);
    const { events } = (await engine.call(`/execute/replay?task_id=${task}`)).body;
    t.equal(events.filter(({ event }: { event: string }) => event === "hitl_resolved").length, 1, task);
  }
});

t.test("attack: a model that calls tools with odd names and inputs", async (t) => {
  const calls = ["__proto__ {}", "constructor {}", `${"x".repeat(300)} {}`, "✓ {}", '../x {"__proto__":{"a":1}}'];
  const invalid = ['write_file {"path": 5', "list_files no JSON", 'list_files {"path":"a\\u0000b"}'];
  const text = [...calls, ...invalid].map((call) => `/tool ${call}\n/say next`).join("\n");
  for (const protocol of RAW_PROTOCOLS) {
    const call = RAW_CALLS[protocol]({ task: `odd tools ${protocol}`, text: `${text}\n/say the end`, id: "m1" });
    t.match(await sendRaw(engine, call), { status: 200, text: /the end/ }, protocol);
  }
});

t.test("attack: a file named __proto__ leaves the client of AG-UI its state", async (t) => {
  const { agent, say, last, events } = agentOf(engine, "files of prototypes");
  say(
    '/tool write_file {"path":"__proto__","content":"x"}\n/tool write_file {"path":"b.txt","content":"x"}\n/say done',
  );
  await agent.runAgent();
  while (last().outcome.type === "interrupt") {
    const [{ id: interruptId }] = last().outcome.interrupts;
    await agent.runAgent({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] });
  }
  const patches = events.filter(({ type }) => type === "STATE_DELTA").flatMap(({ delta }) => delta);
  t.notOk(patches.some(({ path }) => path.includes("__proto__")));
  t.match(agent.state, { orchd: { files: { "b.txt": "created" } } });
});
