import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type Progress } from "@modelcontextprotocol/client";
import t, { type Test } from "tap";
import { ask as call } from "../../helpers/api.ts";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { startEngine } from "../../helpers/engine.ts";
import { MCP_ERAS, type McpEra, connectMcp } from "../../helpers/mcp-client.ts";
import { until } from "../../helpers/until.ts";

const engine = await startEngine(t);
const headers = { authorization: `Bearer ${engine.key}` };
const connect = (t: Test, era: McpEra, elicit?: Parameters<typeof connectMcp>[2]["elicit"]) =>
  connectMcp(t, `${engine.url}/mcp`, { era, headers, ...(elicit && { elicit }) });
const ask = (message: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name: "ask",
  arguments: { message, ...more },
});

for (const era of MCP_ERAS) {
  t.test(`${era}: a client lists the tools`, async (t) => {
    const client = await connect(t, era);
    const { tools } = await client.listTools();
    t.strictSame(
      tools.map(({ name }) => name),
      ["ask", "answer", "remember", "search_memory"],
    );
    t.match(tools[0], { inputSchema: { type: "object", properties: { message: { type: "string" } } } });
    t.equal(client.getServerVersion()?.name, "orchd");
  });

  t.test(`${era}: the answer of a turn is the result of ask, and the task continues`, async (t) => {
    const client = await connect(t, era);
    const progress: Progress[] = [];
    const first = await client.callTool(ask("/say One.\n/tool list_files {}\n/say Two."), {
      onprogress: (one) => progress.push(one),
    });
    t.match(first, {
      content: [{ type: "text", text: "One.\n\nTwo." }],
      structuredContent: { status: "completed", answer: "One.\n\nTwo.", turn_id: /^turn_/ },
    });
    t.match(
      progress.map(({ message }) => message),
      ["started", "calls list_files", "list_files has returned"],
    );
    const { task_id: task } = first.structuredContent as { task_id: string };
    await client.callTool(ask("/say Three.", { task_id: task }));
    const { body } = await engine.call(`/tasks/${task}`);
    t.equal(body?.message_count, 4);
    const last = await client.callTool({ name: "ask", arguments: { task_id: task } });
    t.match(last.structuredContent, { status: "completed", answer: "Three." });
  });

  t.test(`${era}: a turn that fails is a result with isError`, async (t) => {
    const client = await connect(t, era);
    t.match(await client.callTool(ask("/fail provider")), {
      isError: true,
      structuredContent: { status: "failed", error: { code: "LLM_PROVIDER_ERROR" } },
    });
    t.match(await client.callTool(ask("hi", { agent: "nobody" })), {
      isError: true,
      content: [{ text: /NOT_FOUND|agent/ }],
    });
  });

  t.test(`${era}: a question is asked in a form of the client`, async (t) => {
    const asked: unknown[] = [];
    const client = await connect(t, era, (params) => {
      asked.push(params);
      return { action: "accept", content: { answer: "Word" } };
    });
    const { content } = await client.callTool(ask("/ask Which format? | PDF | Word\n/say Thanks."));
    t.match(content, [{ text: /Thanks/ }]);
    t.match(asked, [
      { message: "Which format?", requestedSchema: { properties: { answer: { enum: ["PDF", "Word"] } } } },
    ]);
  });

  t.test(`${era}: a permission prompt that the user declines is denied`, async (t) => {
    const client = await connect(t, era, () => ({ action: "decline" }));
    const file = `declined-${era}.txt`;
    const result = await client.callTool(ask(`/tool write_file {"path":"${file}","content":"x"}\n/say Done.`));
    t.match(result.structuredContent, { status: "completed" });
    t.equal((await engine.call(`/files/content?path=${file}`)).status, 404);
  });

  t.test(`${era}: a question that the user leaves stays open, and the tool answer answers it`, async (t) => {
    const client = await connect(t, era, () => ({ action: "cancel" }));
    const { structuredContent } = await client.callTool(ask("/ask Which format? | PDF | Word\n/say Thanks."));
    t.match(structuredContent, { status: "question", question: { text: "Which format?", options: ["PDF", "Word"] } });
    const { question } = structuredContent as { question: { request_id: string } };
    const wrong = await client.callTool({
      name: "answer",
      arguments: { request_id: question.request_id, answer: "?" },
    });
    t.match(wrong, { isError: true, content: [{ text: /INVALID_REQUEST/ }] });
    const right = await client.callTool({
      name: "answer",
      arguments: { request_id: question.request_id, answer: "PDF" },
    });
    t.match(right.structuredContent, { status: "completed", answer: /Thanks/ });
  });

  t.test(`${era}: a question that another client answers meanwhile goes on with that answer`, async (t) => {
    const client = await connect(t, era, async () => {
      const { requests } = (await engine.call("/hitl/pending")).body;
      const { request_id: id } = requests.at(-1) as { request_id: string };
      await engine.call("/hitl/respond", { body: { request_id: id, answer: "A" } });
      return { action: "accept", content: { answer: "B" } };
    });
    const { structuredContent } = await client.callTool(ask("/ask Which? | A | B\n/say Ok."));
    t.match(structuredContent, { status: "completed", answer: "Ok." });
  });

  t.test(`${era}: an answer that the question does not allow is an error, and the question stays open`, async (t) => {
    const client = await connect(t, era, () => ({ action: "accept", content: { answer: "neither" } }));
    const { structuredContent, isError } = await client.callTool(ask("/ask Which? | A | B\n/say Ok."));
    t.ok(isError === true || (structuredContent as { status: string }).status === "question");
    t.match((await engine.call("/hitl/pending")).body.requests.at(-1), { question: "Which?" });
  });

  t.test(`${era}: a client without forms is told the question and how to answer`, async (t) => {
    const client = await connect(t, era);
    const { content, structuredContent } = await client.callTool(ask("/ask Which? | A | B\n/say Ok."));
    t.match(content, [{ text: /Which\?\nOptions: A, B\nAnswer with the tool `answer`/ }]);
    const { question } = structuredContent as { question: { request_id: string } };
    const args = { request_id: question.request_id, answer: "A" };
    t.match((await client.callTool({ name: "answer", arguments: args })).structuredContent, { status: "completed" });
    t.match(await client.callTool({ name: "answer", arguments: args }), {
      isError: true,
      content: [{ text: /HITL_NOT_FOUND/ }],
    });
  });

  t.test(`${era}: cancelling the request cancels the turn`, async (t) => {
    const client = await connect(t, era);
    const abort = new AbortController();
    const task = `cancelled-${era}`;
    const call = client.callTool(ask("/slow 60000", { task_id: task }), { signal: abort.signal });
    const rejected = t.rejects(call);
    const running = async () => (await engine.call(`/tasks/${task}`)).body?.state;
    await until("the turn runs", async () => (await running()) === "running");
    abort.abort();
    await rejected;
    await until("the turn has ended", async () => (await running()) === "idle");
    t.match((await engine.call(`/turns?task_id=${task}`)).body, { items: [{ state: "errored" }] });
  });

  t.test(`${era}: the same message_id runs one turn`, async (t) => {
    const client = await connect(t, era);
    const task = `once-${era}`;
    const call = ask("/say Once.", { task_id: task, message_id: "m1" });
    const [first, second] = [await client.callTool(call), await client.callTool(call)];
    t.strictSame(first.structuredContent, second.structuredContent);
    t.equal((await engine.call(`/turns?task_id=${task}`)).body?.items.length, 1);
  });

  t.test(`${era}: what was said is found in the memory`, async (t) => {
    const client = await connect(t, era);
    const told = await client.callTool({
      name: "remember",
      arguments: { text: `/say The harbour of ${era} is Marseille.` },
    });
    t.match(told.structuredContent, { task_id: /^mcp-/ });
    const { structuredContent } = await client.callTool({
      name: "search_memory",
      arguments: { query: "Marseille harbour", limit: 5 },
    });
    t.match(structuredContent, { results: [{ content: /Marseille/ }] });
  });
}

t.test("the stream of a call goes on after kill -9 of the engine, and the answer has nothing twice", async (t) => {
  const first = await startEngine(t);
  const client = await connectMcp(t, `${first.url}/mcp`, {
    era: "2025-11-25",
    headers: { authorization: `Bearer ${first.key}` },
    elicit: () => ({ action: "accept", content: { answer: "A" } }),
  });
  const notes: number[] = [];
  const message = "/say One.\n/tool list_files {}\n/slow 1500\n/say Two.\n/ask Which? | A | B\n/say Three.";
  const answer = client.callTool(ask(message, { task_id: "killed" }), {
    onprogress: ({ progress }) => notes.push(progress),
  });
  await until("the tool has run", () => notes.length >= 3);
  await first.stop("SIGKILL");
  const { dataDir, key } = first;
  await startEngine(t, { dataDir, key, port: Number(new URL(first.url).port) });
  t.match((await answer).structuredContent, { status: "completed", answer: "One.\n\nTwo.\n\nThree." });
  t.strictSame(
    notes,
    [...new Set(notes)].toSorted((one, other) => one - other),
    "progress rises",
  );
});

t.test("a client that disconnects without a cancel can ask for the answer later", async (t) => {
  const client = await connect(t, "2025-11-25");
  const call = client.callTool(ask("/slow 300\n/say Late.", { task_id: "later" }));
  const rejected = t.rejects(call);
  await until("the turn runs", async () => (await engine.call("/tasks/later")).body?.state === "running");
  await client.close();
  await rejected;
  const { structuredContent } = await (
    await connect(t, "2026-07-28")
  ).callTool({ name: "ask", arguments: { task_id: "later" } });
  t.match(structuredContent, { status: "completed", answer: "Late." });
});

const send = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
  call(engine.url, "/mcp", {
    method: "POST",
    headers: { ...headers, accept: "application/json, text/event-stream", ...more },
    body,
  });
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

t.test("a page of another site is refused, also when its name leads to this host", async (t) => {
  for (const origin of [
    "https://evil.example",
    "null",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
  ])
    t.match(await send(list, { origin }), { status: 403, body: { jsonrpc: "2.0", error: { message: /Origin/ } } });
  t.equal((await send(list, { origin: "http://localhost:3000" })).status, 200);
});

t.test("malformed calls are refused in the form of JSON-RPC", async (t) => {
  const refused = async (body: unknown, more: Readonly<Record<string, string>>, status: number, message: RegExp) =>
    t.match(await send(body, more), { status, body: { jsonrpc: "2.0", error: { message } } });
  await refused(list, { "mcp-session-id": "orchd-e-no" }, 404, /Mcp-Session-Id/);
  await refused(list, { "mcp-protocol-version": "1999-01-01" }, 400, /MCP-Protocol-Version/);
  await refused(list, { accept: "text/html" }, 406, /Accept/);
  await refused(list, { authorization: "Bearer wrong" }, 401, /INVALID_ENGINE_KEY/);
  for (const body of [[], [list], {}, { jsonrpc: "2.0" }, { jsonrpc: "1.0", id: 1, method: "ping" }, '"text"', 7, null])
    await refused(body, {}, 400, /JSON-RPC/);
  const deep = { ...list, params: JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`) as unknown };
  await refused(deep, {}, 400, /levels/);
  for (const id of ["", "e30", Buffer.from('{"request":1}').toString("base64url"), "x".repeat(5000)]) {
    const { status } = await call(engine.url, "/mcp", {
      headers: { ...headers, accept: "text/event-stream", "last-event-id": id },
    });
    t.equal(status, 400);
  }
  t.equal((await call(engine.url, "/mcp", { headers: { ...headers, accept: "text/event-stream" } })).status, 405);
  t.equal((await call(engine.url, "/mcp", { method: "DELETE", headers })).status, 405);
});

t.test("invalid arguments of a tool are refused with the field", async (t) => {
  const client = await connect(t, "2026-07-28");
  for (const [field, value] of [
    ["task_id", "x".repeat(300)],
    ["message", ""],
    ["agent", 7],
  ] as const)
    t.match(await client.callTool(ask("/say x", { [field]: value })), {
      isError: true,
      content: [{ text: new RegExp(field) }],
    });
});

t.test("a key that is bound to tasks reaches no other by any part of the protocol", async (t) => {
  await engine.turn("secret", "/say Hidden.");
  const { turn_id: turn } = (await engine.call("/turns?task_id=secret")).body.items[0] as { turn_id: string };
  const bound = { ...headers, [BOUND_KEY_HEADER]: writeBoundKey(engine.key, { ids: ["mine"] }) };
  const { authorization: _, ...own } = bound;
  const client = await connectMcp(t, `${engine.url}/mcp`, { era: "2026-07-28", headers: own });
  for (const args of [{ task_id: "secret" }, { task_id: "secret", message: "/say x" }])
    t.match(await client.callTool({ name: "ask", arguments: args }), { isError: true });
  const id = Buffer.from(JSON.stringify({ request: 1, task: "secret", turn, seq: 0 })).toString("base64url");
  const stolen = await call(engine.url, "/mcp", {
    headers: { ...own, accept: "text/event-stream", "last-event-id": id },
  });
  t.notMatch(JSON.stringify(stolen.body ?? stolen), /Hidden/);
});

t.test("the example of the documentation runs", async (t) => {
  const text = readFileSync(resolve(import.meta.dirname, "../../../docs/protocols.md"), "utf8");
  const [, code = ""] = /## Model Context Protocol\n.*?```js\n(.*?)```/s.exec(text) ?? [];
  const env = { ...process.env, ENGINE_URL: engine.url, ENGINE_KEY: engine.key };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], { env });
  t.equal(stdout, "Hello\n");
});
