import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { newKey, sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { ENGINE_ERRORS } from "../../src/contract/engine/errors.ts";
import { ENGINE_RESPONSES } from "../../src/contract/engine/responses.ts";
import { engineErrorsOf } from "../../src/contract/engine/routes.ts";
import {
  ENGINE_ROUTES,
  type EngineRoute,
  type EngineRouteName,
  engineBodyBytes,
} from "../../src/contract/engine/routes.ts";
import { methodsOf } from "../../src/contract/route-table.ts";
import { type Answer, ask } from "../helpers/api.ts";
import { type TestEngine, startEngine } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { base64, png } from "../helpers/sample-files.ts";
import { until } from "../helpers/until.ts";
import { ContractCaller } from "./contract-caller.ts";

const methodsOfPath = methodsOf(Object.values<EngineRoute>(ENGINE_ROUTES));
const ROUTES: Readonly<Record<EngineRouteName, EngineRoute>> = ENGINE_ROUTES;
const dataDir = freshFolder(t);
const serverTools = join(dataDir, "tools.json");
const key = newKey("sk-orch-");
const defineTool = (description: string) => writeFileSync(serverTools, JSON.stringify([["read", { description }]]));

mkdirSync(join(dataDir, "catalog"));
const command = [resolve(import.meta.dirname, "../fixtures/tool-servers/changes.mjs"), serverTools];
const pages = { command: process.execPath, args: command, permissions: { "*": "allow" } };
const defineServers = (servers: object) =>
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: servers }));
defineServers({ pages, bad: { url: 7 } });
defineTool("reads a page");
const before = await startEngine(t, { dataDir, key });
await serverIs(before, "ready");
await before.stop();
// The tool that changed meanwhile is held back.
defineTool("reads a page and more");
const engine = await startEngine(t, { dataDir, key });

const caller = new ContractCaller(t, {
  url: engine.url,
  routes: ROUTES,
  schemas: ENGINE_RESPONSES,
  errors: ENGINE_ERRORS,
  errorsOf: engineErrorsOf,
  codeOf: ({ error }) => String(error),
  headersOf: ({ auth }) =>
    auth === "engine"
      ? { "x-engine-key": key }
      : auth === "control"
        ? { "x-control-token": engine.launch.control_token }
        : {},
});
const call = caller.call.bind(caller);
const execute = (task: string, message: string, headers = {}): Promise<Answer> =>
  call("execute", { body: { task_id: task, message }, headers, expect: 200 });
const SSE = { accept: "text/event-stream" };

async function serverIs(of: TestEngine, status: string): Promise<void> {
  await until(`the server is ${status}`, async () => {
    const { body } = await of.call("/assets/servers");
    return body?.servers?.some(
      (one: { name: string; status: string }) => one.name === "pages" && one.status === status,
    );
  });
}

t.test("turns", async () => {
  const once = { "idempotency-key": "first" };
  const message = '/think a moment\n/tool plan {"steps":[]}\n/tool memory_note {"content":"likes tea"}\n/say fine';
  await execute("talk", message, once);
  await execute("talk", message, once);
  await call("execute", {
    body: { task_id: "talk", message: "/say other" },
    headers: once,
    expect: "IDEMPOTENCY_CONFLICT",
  });
  await execute("fails", "/fail LLM_PROVIDER_ERROR");
  await call("execute", { body: { task_id: "talk", message: " " }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { task_id: "talk", message: "x", agent: "nobody" }, expect: "NOT_FOUND" });
  const image = { type: "image", data: base64(png(3, 2)), name: "dot.png" };
  const parts = [{ type: "text", text: "/attachments" }, image, { type: "file", path: "dot.txt" }];
  mkdirSync(join(dataDir, "workspace"), { recursive: true });
  writeFileSync(join(dataDir, "workspace/dot.txt"), "a dot");
  writeFileSync(join(dataDir, "workspace/dot.png"), png(3, 2));
  await call("execute", { body: { task_id: "parts", message: parts }, expect: 200 });
  const unreadable = [{ type: "image", data: base64(Buffer.from("no image")) }];
  await call("execute", { body: { task_id: "parts", message: unreadable }, expect: "INVALID_REQUEST" });
  await execute("shown", '/tool read_file {"path":"dot.png"}\n/say done');
  await call("replay", { query: "?task_id=parts", expect: 200 });
  await call("replay", { query: "?task_id=talk&limit=5", expect: 200 });
  await call("replay", { expect: 200 });
  await call("replay", { query: "?after=0&ids=1", headers: SSE, expect: 200 });
  await call("replay", { query: "?after=yesterday", expect: "INVALID_REQUEST" });
  await call("replay", { query: "?turn_id=none&follow=true", headers: SSE, expect: "NOT_FOUND" });
});

t.test("turns and their requests", async (t) => {
  const { body: page } = await call("listTurns", { query: "?limit=1", expect: 200 });
  t.match(page, { items: [{ task_id: "shown", state: "completed", agent: "default" }] });
  await call("listTurns", { query: `?limit=1&cursor=${page.next_cursor}&task_id=talk`, expect: 200 });
  await call("listTurns", { query: "?cursor=next", expect: "INVALID_REQUEST" });
  const { body: talk } = await call("listTurns", { query: "?task_id=talk", expect: 200 });
  t.equal(talk.items.length, 1);
  const [{ turn_id: turn }] = talk.items;
  await call("showTurn", { path: { turn_id: turn }, expect: 200 });
  await call("showTurn", { path: { turn_id: "turn_none" }, expect: "NOT_FOUND" });
  const { body: calls } = await call("listRequests", { path: { turn_id: turn }, expect: 200 });
  t.match(calls, { kept: true, requests: [{ number: 1, context: { is_estimate: false } }, { number: 2 }] });
  await call("listRequests", { path: { turn_id: "turn_none" }, expect: "NOT_FOUND" });
  const { body: request } = await call("showRequest", { path: { turn_id: turn, number: "1" }, expect: 200 });
  t.match(request, { method: null, body: { model: "sandbox", messages: [{ role: "user" }] } });
  await call("showRequest", { path: { turn_id: turn, number: "99" }, expect: "NOT_FOUND" });
  await call("showRequest", { path: { turn_id: turn, number: "first" }, expect: "INVALID_REQUEST" });
});

t.test("tasks", async (t) => {
  const { body: page } = await call("listTasks", { query: "?limit=1", expect: 200 });
  t.match(page, { items: [{ task_id: "shown", title: /^\/tool read_file/, state: "idle", message_count: 2 }] });
  await call("listTasks", { query: `?limit=1&cursor=${page.next_cursor}`, expect: 200 });
  const { body: found } = await call("listTasks", { query: "?q=likes%20TEA&archived=any", expect: 200 });
  t.same(
    found.items.map((one: { task_id: string }) => one.task_id),
    ["talk"],
  );
  for (const query of ["cursor=next", "archived=perhaps", `q=${"x".repeat(1001)}`, "limit=0", "follow=1"])
    await call("listTasks", { query: `?${query}`, expect: "INVALID_REQUEST" });
  await call("listTasks", { query: "?q=tea&follow=true", headers: SSE, expect: "INVALID_REQUEST" });
  const path = { task_id: "talk" };
  const change = { title: "Tea", archived: true, metadata: { folder: "work" } };
  const { body: changed } = await call("changeTask", { path, body: change, expect: 200 });
  t.match(changed, { ...change, title_source: "user" });
  for (const body of [{ title: " " }, { title: "x".repeat(201) }, { metadata: { a: 1 } }, { metadata: { "": "x" } }])
    await call("changeTask", { path, body, expect: "INVALID_REQUEST" });
  t.same((await call("showTask", { path, expect: 200 })).body, changed);
  const { body: kept } = await call("listTasks", { query: "?archived=true&metadata.folder=work", expect: 200 });
  t.same(kept.items, [changed]);
  const { body: messages } = await call("listMessages", { path, query: "?limit=1", expect: 200 });
  t.match(messages, {
    items: [{ role: "assistant", status: "completed", parts: [{ type: "reasoning" }] }],
    after: null,
  });
  const { body: older } = await call("listMessages", { path, query: `?before=${messages.before}`, expect: 200 });
  t.match(older, { items: [{ role: "user", parts: [{ type: "text" }] }], before: null });
  await call("listMessages", { path: { task_id: "parts" }, expect: 200 });
  await call("listMessages", { path: { task_id: "shown" }, expect: 200 });
  await call("listMessages", { path, query: "?after=7", expect: "INVALID_REQUEST" });
  await call("listMessages", { path, query: "?after=msg_1&before=msg_2", expect: "INVALID_REQUEST" });
  for (const name of ["showTask", "changeTask", "deleteTask", "listMessages"] as const)
    await call(name, { path: { task_id: "none" }, ...(name === "changeTask" && { body: {} }), expect: "NOT_FOUND" });
  const stream = await engine.stream("/tasks?follow=true&archived=any", { headers: { ...SSE, "x-engine-key": key } });
  await stream.first("heartbeat");
  const { body: gone } = await call("deleteTask", { path, query: "?forget=true", expect: 200 });
  t.match(gone, { deleted: { messages: 4, turns: 1 }, kept_messages: 0, forgotten: { episodes: 1, notes: 1 } });
  await stream.first("task_removed", ({ task_id }) => task_id === "talk");
  stream.cut();
  const frames = stream.frames.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const streamed = { status: 200, headers: stream.headers, body: null, text: frames };
  caller.check("listTasks", streamed, 200);
});

t.test("tasks before their first message", async (t) => {
  const tool = { name: "get_selection", description: "The selected text.", input_schema: { type: "object" } };
  const body = { task_id: "planned", title: "Plan", metadata: { folder: "work" }, defaults: { client_tools: [tool] } };
  t.match((await call("createTask", { body, expect: 201 })).body, {
    task_id: "planned",
    title: "Plan",
    title_source: "user",
    agent: "default",
    message_count: 0,
    state: "idle",
  });
  await call("createTask", { body, expect: "TASK_EXISTS" });
  await call("createTask", { body: { defaults: { agent: "nobody" } }, expect: "NOT_FOUND" });
  for (const wrong of [{ title: " " }, { defaults: { effort: "most" } }, { defaults: { client_tools: [tool, tool] } }])
    await call("createTask", { body: wrong, expect: "INVALID_REQUEST" });
  const path = { task_id: "planned" };
  const { body: shown } = await call("showTask", { path, query: "?defaults=true", expect: 200 });
  t.strictSame(shown.defaults, { client_tools: [tool] });
  await call("changeTask", { path, body: { defaults: {} }, expect: 200 });
});

t.test("forks and rewinds", async (t) => {
  const path = { task_id: "branches" };
  await execute("branches", "/say one");
  const { body: said } = await call("listMessages", { path, expect: 200 });
  const first = said.items[0].message_id;
  const { body: made } = await call("forkTask", {
    path,
    body: { after_message: first, task_id: "forked" },
    expect: 200,
  });
  t.strictSame(made, { task_id: "forked", parent: { task_id: "branches", after_message: first }, message_count: 1 });
  await call("forkTask", { path, body: {}, expect: 200 });
  await call("forkTask", { path, body: { task_id: "forked" }, expect: "TASK_EXISTS" });
  await call("forkTask", { path: { task_id: "none" }, body: {}, expect: "NOT_FOUND" });
  await call("forkTask", { path, body: { after_message: "first" }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { task_id: "forked", regenerate: true }, expect: 200 });
  await call("execute", { body: { task_id: "forked", regenerate: true }, expect: "INVALID_REQUEST" });
  const rewind = { to_message: first, files: "restore" };
  await call("rewindTask", { path, body: { ...rewind, dry_run: true }, expect: 200 });
  const { body: rewound } = await call("rewindTask", { path, body: { ...rewind, keep: false }, expect: 200 });
  const { body: task } = await call("showTask", { path, query: "?branches=true", expect: 200 });
  t.match(task, {
    message_count: 0,
    branches: [{ branch_id: rewound.left_branch, is_current: false }, { is_current: true }],
  });
  const { body: left } = await call("listMessages", { path, query: `?branch=${rewound.left_branch}`, expect: 200 });
  t.same(left.items, said.items, "what came after stays readable");
  await call("listMessages", { path, query: "?branch=branch_999", expect: "NOT_FOUND" });
  await call("rewindTask", { path, body: rewind, expect: "NOT_FOUND" });
  await call("rewindTask", { path, body: {}, expect: "INVALID_REQUEST" });
});

t.test("people", async (t) => {
  const stream = await engine.execute({ task_id: "ask", message: "/ask Which one? | left | right" });
  const { data } = await stream.first("hitl_request");
  const answer = (text: string) => ({ request_id: data.request_id, answer: text });
  await call("pending", { expect: 200 });
  await call("execute", { body: { task_id: "ask", message: "/say now" }, expect: "TASK_BUSY" });
  await call("eraseMemory", { expect: "TASK_BUSY" });
  await call("deleteTask", { path: { task_id: "ask" }, expect: "TASK_BUSY" });
  const { body: open } = await call("openQuestions", { expect: 200 });
  t.match(open, { total: 1, questions: [{ request_id: data.request_id, options: ["left", "right"] }] });
  await call("answerQuestion", { body: answer("up"), expect: "INVALID_REQUEST" });
  await call("respond", { body: answer("up"), expect: "INVALID_REQUEST" });
  const { body: left } = await call("answerQuestion", { body: answer("left"), expect: 200 });
  t.match(left, { total: 0, questions: [] });
  t.ok(left.revision > open.revision);
  await call("answerQuestion", { body: answer("right"), expect: "HITL_ALREADY_ANSWERED" });
  await call("answerQuestion", { body: { request_id: "hitl-none", answer: "left" }, expect: "HITL_NOT_FOUND" });
  await call("respond", { body: answer("left"), expect: 200 });
  await call("respond", { body: answer("right"), expect: "HITL_ALREADY_ANSWERED" });
  await call("respond", { body: { request_id: "hitl-none", answer: "left" }, expect: "HITL_NOT_FOUND" });
  await stream.all();
  await call("replay", { query: "?task_id=ask", expect: 200 });
  const asked = await engine.execute({ task_id: "left", message: "/ask Still there?" });
  await asked.first("hitl_request");
  await call("cancel", { body: { task_id: "left" }, expect: 200 });
  await asked.all();
  await call("cancel", { body: { task_id: "left" }, expect: 200 });
});

t.test("tools that the client runs", async () => {
  const look = {
    name: "look",
    description: "Looks",
    input_schema: { type: "object" },
    output_schema: { type: "string" },
  };
  const body = { task_id: "client", message: '/tool look {"at":"it"}\n/say seen', client_tools: [look] };
  const { name: _, ...nameless } = look;
  await call("execute", { body: { ...body, client_tools: [nameless] }, expect: "INVALID_REQUEST" });
  const stream = await engine.execute(body);
  const { data } = await stream.first("tool_call");
  const answer = { tool_call_id: data.tool_call_id };
  await call("pendingTools", { expect: 200 });
  await call("respondTool", { body: answer, expect: "INVALID_REQUEST" });
  await call("respondTool", { body: { ...answer, output: 1 }, expect: "INVALID_REQUEST" });
  await call("respondTool", { body: { ...answer, output: "seen" }, expect: 200 });
  await call("respondTool", { body: { ...answer, error: "gone" }, expect: "TOOL_ALREADY_ANSWERED" });
  await call("respondTool", { body: { tool_call_id: "call_none", output: null }, expect: "NOT_FOUND" });
  await stream.all();
  await call("replay", { query: "?task_id=client&events=tool_input", expect: 200 });
});

t.test("messages that wait", async (t) => {
  const stream = await engine.execute({ task_id: "inbox", message: "/ask Which one?" });
  const { data } = await stream.first("hitl_request");
  const json = { accept: "application/json" };
  const message = { task_id: "inbox", message: "/say later", when_busy: "queue", message_id: "m1" };
  const path = { task_id: "inbox", message_id: "m1" };
  await call("execute", { body: message, headers: json, expect: 202 });
  await call("execute", { body: { ...message, message: "other" }, headers: json, expect: "IDEMPOTENCY_CONFLICT" });
  await call("execute", { body: { ...message, when_busy: "now" }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { ...message, interrupt: true }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { ...message, message_id: "" }, expect: "INVALID_REQUEST" });
  const file = { type: "image", data: base64(png(3, 2)), name: "dot.png" };
  await call("editMessage", { path, body: { message: [{ type: "text", text: "/say it" }, file] }, expect: 200 });
  await call("editMessage", { path, body: {}, expect: "INVALID_REQUEST" });
  await call("editMessage", { path: { ...path, message_id: "none" }, body: { message: "x" }, expect: "NOT_FOUND" });
  t.match((await call("listInbox", { path, expect: 200 })).body, {
    messages: [{ message_id: "m1", position: 1, attachments: [{ name: "dot.png" }] }],
  });
  await call("listInbox", { path: { task_id: "x".repeat(257) }, expect: "INVALID_REQUEST" });
  const removed = { ...message, message_id: "m2" };
  const gone = { task_id: "inbox", message_id: "m2" };
  await call("execute", { body: removed, headers: json, expect: 202 });
  await call("removeMessage", { path: gone, expect: 200 });
  await call("removeMessage", { path: gone, expect: 200 });
  await call("removeMessage", { path: { ...path, message_id: "none" }, expect: "NOT_FOUND" });
  await call("execute", { body: removed, headers: json, expect: "MESSAGE_REMOVED" });
  await call("editMessage", { path: gone, body: { message: "x" }, expect: "MESSAGE_REMOVED" });
  for (let at = 2; at <= 100; at++)
    await engine.call("/execute", { body: { ...message, message_id: `n${at}` }, headers: json });
  await call("execute", { body: { ...message, message_id: "n101" }, headers: json, expect: "INBOX_FULL" });
  const scheduled = { key: "run_q", request: { task_id: "inbox", message: "/say on time" } };
  await call("startTurn", { body: scheduled, expect: "INBOX_FULL" });
  await call("removeMessage", { path: { ...path, message_id: "n100" }, expect: 200 });
  t.match((await call("startTurn", { body: scheduled, expect: 200 })).body, { state: "queued", turn_id: null });
  const query = "?key=run_q&task_id=inbox";
  t.match((await call("findTurn", { query, expect: 200 })).body, { turn: { state: "queued" } });
  t.same((await call("withdrawTurn", { query, expect: 200 })).body, { turn: null });
  t.match((await call("findTurn", { query, expect: 200 })).body, { turn: { error: "MESSAGE_REMOVED" } });
  await call("cancel", { body: { task_id: "inbox", inbox: false }, expect: 200 });
  await stream.all();
  await until("the next one is taken", async () => (await engine.call("/tasks/inbox/inbox")).body.messages.length < 99);
  await call("removeMessage", { path, expect: "MESSAGE_TAKEN" });
  await call("editMessage", { path, body: { message: "x" }, expect: "MESSAGE_TAKEN" });
  t.match((await call("cancel", { body: { task_id: "inbox", inbox: true }, expect: 200 })).body, { removed: /\d+/ });
  await call("replay", { query: "?task_id=inbox&events=message", expect: 200 });
  await call("respond", { body: { request_id: data.request_id, answer: "x" }, expect: "HITL_ALREADY_ANSWERED" });
});

t.test("tool servers", async () => {
  // A call connects the idle server, which lists its tools again.
  await engine.turn("pages", "/tool mcp__pages__read {}");
  await serverIs(engine, "held");
  const { body } = await call("listServers", { expect: 200 });
  const { tools } = body.servers.find(({ name }: { name: string }) => name === "pages");
  const allow = { server: "pages", tool: "read", definition: tools[0].definition };
  await call("allowTools", { body: { ...allow, definition: undefined }, expect: "INVALID_REQUEST" });
  await call("allowTools", { body: { server: "nobody" }, expect: "NOT_FOUND" });
  await call("allowTools", { body: allow, expect: 200 });
});

t.test("memory", async () => {
  mkdirSync(join(dataDir, "workspace"), { recursive: true });
  writeFileSync(join(dataDir, "workspace/notes.txt"), "notes");
  await execute("facts", "/say fine\nMy name is Anna. I live in Oslo.");
  for (const city of ["Berlin", "Paris", "Rome"]) {
    const work = ["/tool list_files {}", '/tool read_file {"path":"notes.txt"}', "/say done"];
    await execute(city, [...work, `Summarise the weekly report of ${city} please.`].join("\n"));
  }
  // The turns before may have started one.
  await until("no batch runs", async () => !(await engine.control("/control/status")).body.awake.includes("learning"));
  await call("triggerLearning", { expect: 200 });
  const { body: found } = await call("searchMemory", { body: { query: "Where do I live?" }, expect: 200 });
  t.ok(found.results.length > 0);
  await call("searchMemory", { body: { query: "", limit: 0 }, expect: "INVALID_REQUEST" });
  const lists = ["listEpisodes", "listKnowledge", "listSocial", "listWorking", "listTrajectories"] as const;
  for (const name of lists) {
    const { body } = await call(name, { query: "?limit=2", expect: 200 });
    if (body.next_cursor !== null) await call(name, { query: `?cursor=${body.next_cursor}`, expect: 200 });
    await call(name, { query: "?cursor=other.1", expect: "INVALID_REQUEST" });
  }
  const { body: profile } = await call("getProfile", { expect: 200 });
  const [{ id: line }] = profile.lines;
  const corrected = { text: "Lives in Paris." };
  await call("correctProfileLine", { path: { line_id: line }, body: corrected, expect: 200 });
  await call("correctProfileLine", { path: { line_id: "pl_none" }, body: corrected, expect: "NOT_FOUND" });
  await call("correctProfileLine", { path: { line_id: line }, body: { text: "a\nb" }, expect: "INVALID_REQUEST" });
  await call("deleteProfileLine", { path: { line_id: line }, expect: 200 });
  await call("deleteProfileLine", { path: { line_id: line }, expect: "NOT_FOUND" });
  const { body: facts } = await call("listKnowledge", { expect: 200 });
  await call("endFact", { body: { id: facts.items[0].id }, expect: 200 });
  await call("endFact", { body: { id: "kn_none" }, expect: "NOT_FOUND" });
  await call("endFact", { body: { id: "x" }, expect: "INVALID_REQUEST" });
  const { body: drafts } = await call("listSkills", { expect: 200 });
  const [{ id }] = drafts.skills;
  await call("decideSkill", { body: { id: "sd_none", decision: "allow" }, expect: "NOT_FOUND" });
  await call("decideSkill", { body: { id, decision: "allow" }, expect: 200 });
  await call("decideSkill", { body: { id, decision: "refuse" }, expect: "SKILL_ALREADY_DECIDED" });
  const { text } = await call("exportMemory", { expect: 200 });
  await call("eraseMemory", { expect: 200 });
  await call("importMemory", { body: text, expect: 200 });
  await call("importMemory", { body: "{}\n", expect: "INVALID_REQUEST" });
});

t.test("the catalog and the core soul", async () => {
  defineServers({ pages });
  await call("showCatalog", { expect: 200 });
  await call("reloadCatalog", { expect: 200 });
  await call("reloadCoreSoul", { expect: 200 });
  await call("setCatalog", { body: { version: 0, digest: null }, expect: 200 });
  await call("setCatalog", { body: { version: 1, digest: "0".repeat(64) }, expect: "CATALOG_INVALID" });
  await call("setCatalog", { body: { version: 1, digest: "../.." }, expect: "INVALID_REQUEST" });
  const digest = "1".repeat(64);
  const missing = await call("setKnowledge", { body: { version: 1, digest }, expect: 200 });
  t.same(missing.body, { version: 1, missing: true });
  await call("putKnowledge", { path: { digest }, body: "the file", expect: 200 });
  const found = await call("setKnowledge", { body: { version: 1, digest }, expect: 200 });
  t.same(found.body, { version: 1, missing: false });
  await call("putKnowledge", { path: { digest: "none" }, body: "a", expect: "INVALID_REQUEST" });
  await call("setKnowledge", { body: { version: 2, digest: null }, expect: 200 });
  mkdirSync(join(dataDir, "catalog/agents"), { recursive: true });
  writeFileSync(join(dataDir, "catalog/agents/broken.md"), "nothing");
  writeFileSync(join(dataDir, "catalog/core-soul.md"), "{{who}}");
  await call("reloadCatalog", { expect: "CATALOG_INVALID" });
  await call("reloadCoreSoul", { expect: "CORE_SOUL_INVALID" });
});

t.test("files", async (t) => {
  const path = "?path=folder/a.bin";
  await call("writeFile", { query: path, body: "one", expect: 201 });
  await call("writeFile", { query: path, body: "two", expect: 200 });
  await call("writeFile", { query: path, body: "x", headers: { "if-none-match": "*" }, expect: "PRECONDITION_FAILED" });
  await call("writeFile", { query: "?path=../a", body: "x", expect: "INVALID_REQUEST" });
  await call("listFiles", { query: "?path=folder", expect: 200 });
  await call("listFiles", { query: "?path=none", expect: "NOT_FOUND" });
  for (const query of ["?path=/etc", "?limit=0", "?recursive=yes"])
    await call("listFiles", { query, expect: "INVALID_REQUEST" });
  await call("readFile", { query: path, expect: 200 });
  await call("readFile", { query: path, headers: { range: "bytes=1-" }, expect: 206 });
  await call("readFile", { query: path, headers: { range: "bytes=9-" }, expect: "RANGE_NOT_SATISFIABLE" });
  await call("readFile", { query: path, headers: { "if-match": '"x"' }, expect: "PRECONDITION_FAILED" });
  await call("readFile", { query: "?path=none", expect: "NOT_FOUND" });
  await call("readFile", { query: "?artifact_id=none", expect: "NOT_FOUND" });
  await call("readFile", { expect: "INVALID_REQUEST" });
  await call("archiveFiles", { query: "?path=folder", expect: 200 });
  await call("archiveFiles", { query: "?path=folder&format=zip", expect: 200 });
  await call("archiveFiles", { query: "?path=none", expect: "NOT_FOUND" });
  await call("archiveFiles", { query: "?format=rar", expect: "INVALID_REQUEST" });
  const { body: made } = await call("linkFile", { body: { path: "folder/a.bin", ttl_s: 60 }, expect: 200 });
  await call("linkFile", { body: { path: "none" }, expect: "NOT_FOUND" });
  await call("linkFile", { body: { path: "folder/a.bin", ttl_s: 3601 }, expect: "INVALID_REQUEST" });
  const token = made.link.split("/").at(-1);
  await call("readLinked", { path: { token }, expect: 200 });
  await call("readLinked", { path: { token }, headers: { range: "bytes=0-0" }, expect: 206 });
  await call("readLinked", { path: { token: `${token}x.` }, expect: "NOT_FOUND" });
  await execute("publishes", '/tool publish_file {"path":"folder/a.bin","title":"A"}\n/say done');
  const { body: published } = await call("listArtifacts", { path: { task_id: "publishes" }, expect: 200 });
  t.match(published, { items: [{ path: "folder/a.bin", title: "A", version: 1, kept: true }] });
  await call("readFile", { query: `?artifact_id=${published.items[0].artifact_id}`, expect: 200 });
  await call("listMessages", { path: { task_id: "publishes" }, expect: 200 });
  await call("listArtifacts", { path: { task_id: "none" }, expect: "NOT_FOUND" });
  await call("moveFile", { body: { from: "folder/a.bin", to: "b.bin" }, expect: 200 });
  await call("moveFile", { body: { from: "folder/a.bin", to: "b.bin" }, expect: "NOT_FOUND" });
  await call("moveFile", { body: { from: "folder", to: "b.bin" }, expect: "FILE_EXISTS" });
  await call("moveFile", { body: { from: "folder" }, expect: "INVALID_REQUEST" });
  await call("removeFile", { query: "?path=b.bin", headers: { "if-match": '"x"' }, expect: "PRECONDITION_FAILED" });
  await call("removeFile", { query: "?path=b.bin", expect: 200 });
  await call("removeFile", { query: "?path=b.bin", expect: "NOT_FOUND" });
});

t.test("refusals that every route of its kind shares", async (t) => {
  for (const [name, route] of Object.entries(ROUTES) as [EngineRouteName, EngineRoute][]) {
    if (route.auth === "engine") await call(name, { headers: { "x-engine-key": "" }, expect: "INVALID_ENGINE_KEY" });
    if (route.auth === "control") await call(name, { headers: { "x-control-token": "" }, expect: "NOT_FOUND" });
    if (route.auth === "none") await call(name, { headers: { host: "evil.example" }, expect: "INVALID_REQUEST" });
    if ((route.method === "POST" || route.method === "PATCH") && route.requestLines === undefined) {
      await call(name, { body: "{", expect: "INVALID_REQUEST" });
      await call(name, { body: "x".repeat(engineBodyBytes(route) + 1), expect: "PAYLOAD_TOO_LARGE" });
    }
    if (route.auth === "control") continue;
    // No path has both.
    const other = methodsOfPath(route.path).includes("PUT") ? "PATCH" : "PUT";
    const { status, headers } = await ask(engine.url, route.path, { method: other });
    t.equal(status, 405);
    t.ok(String(headers["allow"]).split(", ").includes(route.method), `${name} is in Allow`);
  }
});

t.test("the engine itself", async (t) => {
  for (const name of ["health", "openapi", "docs", "status"] as const) await call(name, { expect: 200 });
  await call("setKeys", { body: { keys: [{ hash: sha256(key), expires_at: null }] }, expect: 200 });
  await call("setKeys", { body: { keys: [{ hash: "x" }] }, expect: "INVALID_REQUEST" });
  const start = { key: "run_1", request: { task_id: "scheduled", message: "/say on time" } };
  const { body: turn } = await call("startTurn", { body: start, expect: 200 });
  t.equal((await call("startTurn", { body: start, expect: 200 })).body.turn_id, turn.turn_id, "once for each key");
  const other = { ...start.request, message: "/say late" };
  await call("startTurn", { body: { ...start, request: other }, expect: "IDEMPOTENCY_CONFLICT" });
  await call("startTurn", { body: { key: "", request: other }, expect: "INVALID_REQUEST" });
  await call("startTurn", { body: { key: "k", request: { ...other, agent: "nobody" } }, expect: "NOT_FOUND" });
  const { body: found } = await call("findTurn", { query: "?key=run_1&wait_ms=10000", expect: 200 });
  t.same(found.turn, { turn_id: turn.turn_id, state: "completed", error: null, request_id: null });
  t.same((await call("findTurn", { query: `?turn_id=${turn.turn_id}`, expect: 200 })).body, found);
  t.equal((await call("findTurn", { query: "?key=run_2", expect: 200 })).body.turn, null);
  await call("sleep", { body: { idle_ms: -1 }, expect: "INVALID_REQUEST" });
  await call("sleep", { body: { idle_ms: 60_000 }, expect: "ENGINE_BUSY" });
  const budgets = { currency: null, prices: [], own: [], leases: [] };
  const spent = [{ name: "tokens_per_day", limit: 0 }];
  await call("setBudgets", { body: { ...budgets, own: spent }, expect: 200 });
  await call("setBudgets", { body: { ...budgets, own: [{ name: "tokens" }] }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { task_id: "spent", message: "/say no" }, expect: "BUDGET_EXCEEDED" });
  await call("setBudgets", { body: budgets, expect: 200 });
  const rules = { allowed: ["sandbox"], fallback: ["sandbox:second"], cooldowns: [] };
  const failing = { model: "second", reason: "overloaded", for_ms: 1000 };
  await call("setModels", { body: { ...rules, cooldowns: [failing] }, expect: 200 });
  await call("setModels", { body: { ...rules, cooldowns: [{ ...failing, for_ms: -1 }] }, expect: "INVALID_REQUEST" });
  const asking = { task_id: "models", message: "/say no" };
  await call("execute", { body: { ...asking, model: "third" }, expect: "POLICY_DENIED" });
  await call("startTurn", { body: { key: "run_m", request: { ...asking, agent: "elsewhere" } }, expect: "NOT_FOUND" });
  await call("execute", { body: { ...asking, model: "openai:gpt" }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { ...asking, effort: "most" }, expect: "INVALID_REQUEST" });
  await call("setModels", { body: { ...rules, allowed: null }, expect: 200 });
  await call("setAllowed", { body: { agents: ["reviewer"], tools: null }, expect: 200 });
  await call("setAllowed", { body: { agents: [""], tools: null }, expect: "INVALID_REQUEST" });
  await call("execute", { body: { ...asking, agent: "coder" }, expect: "POLICY_DENIED" });
  await call("setAllowed", { body: { agents: null, tools: null }, expect: 200 });
  const hook = { tools: ["list_files"], timeout_ms: 5000, on_error: "deny" };
  await call("setToolHook", { body: { hook: { ...hook, on_error: "allow" } }, expect: "INVALID_REQUEST" });
  await call("setToolHook", { body: { hook }, expect: 200 });
  const hooked = await engine.execute({ task_id: "hooked", message: "/tool list_files {}" });
  const waiting = await call("hookedCalls", { query: "?wait_ms=20000", expect: 200 });
  const [{ seq, turn_id, tool_call_id }] = waiting.body.calls;
  const decided = { turn_id, tool_call_id, attempt: 1 };
  await call("answerHook", { body: { ...decided, answer: { verdict: "maybe" } }, expect: "INVALID_REQUEST" });
  await call("answerHook", { body: { ...decided, answer: { verdict: "change", input: {} } }, expect: 200 });
  t.match(
    (await hooked.all()).filter(({ event }) => event === "tool_verdict"),
    [],
    "a client of the first interface sees no new event",
  );
  t.same((await call("hookedCalls", { query: `?after=${seq}`, expect: 200 })).body, { calls: [] });
  t.same((await call("answerHook", { body: { ...decided, answer: { verdict: "allow" } }, expect: 200 })).body, {
    counts: false,
  });
  await call("setToolHook", { body: { hook: null }, expect: 200 });
  t.same((await call("loginTargets", { expect: 200 })).body, { servers: [] });
  await call("loginEnded", { body: { server: "tickets", outcome: "signed_in" }, expect: 200 });
  await call("loginEnded", { body: { server: "tickets", outcome: "maybe" }, expect: "INVALID_REQUEST" });
  await call("setSuspension", { body: { suspended: "later" }, expect: "INVALID_REQUEST" });
  await call("setSuspension", { body: { suspended: "now" }, expect: 200 });
  await call("execute", { body: { task_id: "suspended", message: "/say no" }, expect: "POLICY_DENIED" });
  await call("respond", { body: { request_id: "hitl-none", answer: "yes" }, expect: "POLICY_DENIED" });
  await call("answerQuestion", { body: { request_id: "hitl-none", answer: "yes" }, expect: "POLICY_DENIED" });
  await call("respondTool", { body: { tool_call_id: "call_none", output: 1 }, expect: "POLICY_DENIED" });
  await call("triggerLearning", { expect: "POLICY_DENIED" });
  const suspended = { ...start, key: "run_3" };
  await call("startTurn", { body: suspended, expect: "POLICY_DENIED" });
  await call("setSuspension", { body: { suspended: null }, expect: 200 });
  await call("drain", { expect: 200 });
  await call("execute", { body: { task_id: "late", message: "/say late" }, expect: "ENGINE_DRAINING" });
  await engine.call("/admin/lc/trigger", { method: "POST" });
  await until("the engine has no work", async () => {
    const { body } = await engine.control("/control/status");
    return body.awake.length === 0;
  });
  await call("sleep", { body: { idle_ms: 0 }, expect: 200 });
});

t.test("every route of the table has been called, and has answered each way it can", async (t) => {
  t.same(caller.uncovered(), [], "call each of these: route, status, kind of body");
});
