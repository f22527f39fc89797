import t from "tap";
import { type UIMessageChunk, DefaultChatTransport, readUIMessageStream } from "ai";
import { SCOPES_HEADER } from "../../../src/contract/engine/headers.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { png } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";
import { LOOK_TOOL, prepareWorkspace } from "./parts/random-turns.ts";
import { type ChatOptions, lastParts, openChat, partOf, settled, textsOf } from "./parts/ui-chat.ts";

t.setTimeout(120_000);

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const headers = { authorization: `Bearer ${engine.key}` };
const open = (id: string, more: Partial<ChatOptions> = {}) => openChat({ url: engine.url, headers, id, ...more });
const turns = async (taskId: string) => (await engine.call(`/turns?task_id=${taskId}`)).body.items;
const history = async (id: string) => (await engine.call(`/v1/ui/chat/${id}/messages`)).body.messages;

t.test("a message is answered with text and reasoning", async (t) => {
  const chat = open("text", { body: { thinking: true } });
  await chat.sendMessage({ text: "/think Hm\n/say Hello\n/usage 12 3 4" });
  t.match(lastParts(chat), [
    { type: "step-start" },
    { type: "reasoning", text: "Hm", state: "done" },
    { type: "text", text: "Hello", state: "done" },
  ]);
  const [turn] = await turns("text");
  t.match(chat.messages.at(-1), {
    id: turn.turn_id,
    role: "assistant",
    metadata: { status: "completed", usage: { input_tokens: 12, output_tokens: 3, cache_hit_tokens: 4 } },
  });
});

t.test("the engine's calls are shown, with their input as it is written, their files and errors", async (t) => {
  const chat = open("tools");
  await chat.sendMessage({ text: '/tool read_file {"path":"picture.png"}\n/tool read_file {"path":"none"}\n/say ok' });
  const [, read, failed, file] = lastParts(chat);
  t.match(read, { type: "dynamic-tool", toolName: "read_file", state: "output-available", providerExecuted: true });
  t.match(failed, { state: "output-error", errorText: /none cannot be read/ });
  t.match(file, { type: "file", mediaType: "image/png", url: /^\/e\/.*\/files\/linked\// });
  t.same(textsOf(chat), ["ok"]);
  const link = file.url.replace(/^\/e\/[^/]+/, "");
  t.equal((await fetch(engine.url + link)).status, 200, "the link needs no key");
});

t.test("a permission prompt is an approval, by the SDK's own rule", async (t) => {
  const chat = open("approval");
  const text =
    '/tool current_time {}\n/tool write_file {"path":"a.txt","content":"x"}\n/tool write_file {"path":"b.txt","content":"x"}\n/say done';
  await chat.sendMessage({ text });
  const first = lastParts(chat).filter(({ type }) => type === "dynamic-tool");
  t.match(first, [
    { state: "approval-requested", approval: { requestReason: "May the agent use write_file on a.txt?" } },
  ]);
  t.equal(first.length, 1, "calls that wait for the prompt are not shown");
  chat.addToolApprovalResponse({ id: first[0].approval.id, approved: true });
  const second = await partOf(chat, ({ state, input }) => state === "approval-requested" && input.path === "b.txt");
  await settled(chat);
  chat.addToolApprovalResponse({ id: second.approval.id, approved: false });
  await until("the turn goes on", () => textsOf(chat).includes("done"));
  await settled(chat);
  const states = lastParts(chat).flatMap(({ type, toolName, input, state }) =>
    type === "dynamic-tool" ? [[toolName, input.path, state]] : [],
  );
  t.same(
    new Set(states.map(String)),
    new Set(["write_file,a.txt,output-available", "write_file,b.txt,output-denied", "current_time,,output-available"]),
  );
  t.equal((await turns("approval")).length, 1);
  t.match(
    (await history("approval")).at(-1).parts.filter(({ state }: { state: string }) => state === "output-denied"),
    [{ toolName: "write_file" }],
  );
});

t.test("a question is a call that the page answers", async (t) => {
  const chat = open("question");
  await chat.sendMessage({ text: "/ask Which? | this | that\n/ask And? \n/say Thank you" });
  const [first, second] = lastParts(chat).filter(({ toolName }) => toolName === "ask_human");
  t.match(first, { state: "input-available", input: { question: "Which?", options: ["this", "that"] } });
  chat.addToolOutput({ tool: "ask_human", toolCallId: first.toolCallId, output: "that" });
  chat.addToolOutput({ tool: "ask_human", toolCallId: second.toolCallId, output: { answer: "so" } });
  await until("the turn goes on", () => textsOf(chat).includes("Thank you"));
  await settled(chat);
  t.match(
    lastParts(chat).filter(({ toolName }) => toolName === "ask_human"),
    [{ output: { answer: "that" } }, { output: { answer: "so" } }],
  );
  t.equal(chat.error, undefined);
});

t.test("what a delegated agent asks is asked by the same parts", async (t) => {
  const chat = open("delegated");
  const task = '/ask Inner? | yes\n/say so\n/tool write_file {"path":"inner.txt","content":"x"}\n/say found';
  await chat.sendMessage({ text: `/tool delegate ${JSON.stringify({ agent: "coder", task })}\n/say End` });
  const asked = await partOf(chat, ({ toolName, state }) => toolName === "ask_human" && state === "input-available");
  t.match(asked.input, { question: "Inner?", options: ["yes"] });
  chat.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "yes" });
  const prompt = await partOf(chat, ({ state }) => state === "approval-requested");
  t.match(prompt, { toolName: "write_file", toolMetadata: { agent: "coder" } });
  await settled(chat);
  t.match(
    lastParts(chat).filter(({ type }) => type === "dynamic-tool"),
    [{ output: { answer: "yes" } }, prompt],
  );
  chat.addToolApprovalResponse({ id: prompt.approval.id, approved: true, reason: "allow_task" });
  await until("the turn goes on", () => textsOf(chat).join() === "End");
  await settled(chat);
  t.match(await partOf(chat, ({ toolName }) => toolName === "delegate"), { output: "found" });
  t.equal(chat.error, undefined);
  const grants = (await engine.call("/execute/replay?task_id=delegated")).body.events.flatMap(
    ({ event, data }: { event: string; data: { answer: string } }) => (event === "hitl_resolved" ? [data.answer] : []),
  );
  t.same(grants, ["yes", "allow_task"]);
});

t.test("a structured result is a part of the message, and of the stored one", async (t) => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const chat = open("output", { body: { output_schema: schema } });
  await chat.sendMessage({ text: '/tool submit_result {"n":3}' });
  t.match(await partOf(chat, ({ type }) => type === "data-output"), { data: { n: 3 } });
  t.match((await history("output")).at(-1).parts.at(-1), { type: "data-output", data: { n: 3 } });
});

t.test("a tool of the page is run by the page, once", async (t) => {
  const seen: unknown[] = [];
  const chat = open("client-tool", {
    body: { client_tools: [LOOK_TOOL] },
    init: {
      onToolCall({ toolCall }) {
        if (toolCall.toolName !== "look") return;
        seen.push(toolCall.input);
        if (seen.length === 1)
          chat.addToolOutput({ tool: "look", toolCallId: toolCall.toolCallId, output: { seen: 1 } });
        else
          chat.addToolOutput({
            tool: "look",
            toolCallId: toolCall.toolCallId,
            state: "output-error",
            errorText: "dark",
          });
      },
    },
  });
  await chat.sendMessage({ text: '/tool look {"at":1}\n/say between\n/tool look {"at":2}' });
  await until("both calls were answered", () => lastParts(chat).some(({ errorText }) => errorText === "dark"));
  await until("the turn ends", async () => (await turns("client-tool"))[0].state === "completed");
  await settled(chat);
  t.same(seen, [{ at: 1 }, { at: 2 }]);
  const calls = (await engine.call("/execute/replay?task_id=client-tool")).body.events.filter(
    ({ event }: { event: string }) => event === "tool_result",
  );
  t.match(calls, [{ data: { output: { seen: 1 } } }, { data: { error: "dark" } }]);
  t.equal((await turns("client-tool")).length, 1, "nothing is sent again when the turn has ended");
});

t.test("an error ends the chat with its cause; a cancel does not fail it", async (t) => {
  const chat = open("error");
  await chat.sendMessage({ text: "/say Begun\n/fail provider" });
  t.equal(chat.error?.message, "the sandbox model was told to fail");
  t.match(chat.messages.at(-1)?.metadata, { error: { code: "LLM_PROVIDER_ERROR" } });
  const refused = open("error", { body: { effort: "enormous" } });
  await refused.sendMessage({ text: "/say Hello" });
  t.match(JSON.parse(refused.error?.message ?? ""), { error: "INVALID_REQUEST", message: /^effort: / });
  const stopped = open("stopped");
  const sent = stopped.sendMessage({ text: "/say Begun\n/fail silent" });
  await partOf(stopped, ({ text }) => text === "Begun");
  t.match(await engine.call("/v1/ui/chat/stopped/stop", { method: "POST" }), { body: { cancelled: true } });
  await sent;
  t.equal(stopped.error, undefined);
  t.match(stopped.messages.at(-1)?.metadata, { error: { code: "CANCELLED" } });
});

t.test("a page that only stops reading leaves the turn running, unless it asks to cancel", async (t) => {
  const chat = open("left");
  const sent = chat.sendMessage({ text: "/say Begun\n/fail silent" });
  await partOf(chat, ({ text }) => text === "Begun");
  await chat.stop();
  await sent;
  t.match(await turns("left"), [{ state: "running" }]);
  const again = open("left", { init: { messages: chat.messages } });
  const resumed = again.resumeStream();
  await until("the stream is resumed", () => again.status === "streaming");
  t.same(textsOf(again), ["Begun"]);
  await engine.call("/v1/ui/chat/left/stop", { method: "POST" });
  await resumed;
  const cancelling = open("cancels", { body: { on_disconnect: "cancel" } });
  const other = cancelling.sendMessage({ text: "/say Begun\n/fail silent" });
  await partOf(cancelling, ({ text }) => text === "Begun");
  await cancelling.stop();
  await other;
  await until("the turn is cancelled", async () => (await turns("cancels"))[0].error === "CANCELLED");
});

t.test("a page that comes back shows what was said, and continues with what waits", async (t) => {
  const first = open("reload");
  await first.sendMessage({ text: "/say One" });
  await first.sendMessage({ text: "/say Two\n/ask Which? | this\n/say Three" });
  const messages = await history("reload");
  t.same(
    messages.map(({ role }: { role: string }) => role),
    ["user", "assistant", "user", "assistant"],
  );
  const chat = open("reload", { init: { messages } });
  await chat.resumeStream();
  t.equal(chat.messages.length, 4, "the running message is not shown twice");
  const asked = await partOf(chat, ({ toolName }) => toolName === "ask_human");
  chat.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "this" });
  await until("the turn goes on", () => textsOf(chat).join() === "Two,Three");
  await settled(chat);
  await chat.resumeStream();
  t.equal((await fetch(`${engine.url}/v1/ui/chat/reload/stream`, { headers })).status, 204);
  const shown = (await history("reload")).at(-1);
  t.equal(shown.id, chat.messages.at(-1)?.id);
  t.same(
    shown.parts.map(({ type }: { type: string }) => type),
    lastParts(chat).map(({ type }) => type),
  );
});

t.test("a message is edited, answered again, and edited again", async (t) => {
  const chat = open("edit");
  await chat.sendMessage({ text: "/say One" });
  await chat.sendMessage({ text: "/say Two" });
  const id = chat.messages[2]?.id ?? "";
  const texts = async () =>
    (await history("edit")).flatMap(({ parts }: { parts: { text?: string }[] }) =>
      parts.flatMap(({ text }) => text ?? []),
    );
  await chat.sendMessage({ text: "/say Three", messageId: id });
  t.same(textsOf(chat), ["Three"]);
  t.same(await texts(), ["/say One", "One", "/say Three", "Three"]);
  await chat.regenerate();
  t.equal(chat.error, undefined);
  await chat.regenerate();
  t.same(await texts(), ["/say One", "One", "/say Three", "Three"]);
  await chat.sendMessage({ text: "/say Four", messageId: id });
  t.equal(chat.error, undefined);
  t.same(await texts(), ["/say One", "One", "/say Four", "Four"]);
  const first = await history("edit");
  const reloaded = open("edit", { init: { messages: first } });
  await reloaded.sendMessage({ text: "/say Zero", messageId: first[0].id });
  t.same(await texts(), ["/say Zero", "Zero"]);
  await reloaded.sendMessage({ text: "/say Again", messageId: first[0].id });
  t.same(await texts(), ["/say Again", "Again"]);
});

t.test("a message that is sent twice runs once", async (t) => {
  const transport = new DefaultChatTransport({ api: `${engine.url}/v1/ui/chat`, headers });
  const message = { id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "/say Once" }] };
  const send = (messageId?: string) =>
    transport.sendMessages({
      trigger: "submit-message",
      chatId: "once",
      messages: [message],
      messageId,
      abortSignal: undefined,
    });
  const last = async (stream: ReadableStream<UIMessageChunk>) => {
    let text = "";
    for await (const { parts } of readUIMessageStream({ stream }))
      text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join();
    return text;
  };
  t.equal(await last(await send()), "Once");
  t.equal(await last(await send()), "Once");
  t.equal(await last(await send("m1")), "Once", "an edit without a change");
  t.equal((await turns("once")).length, 1);
});

t.test("files are sent as data URLs, and shown again", async (t) => {
  const url = `data:image/png;base64,${png(4, 4).toString("base64")}`;
  const chat = open("files");
  await chat.sendMessage({
    text: "/attachments",
    files: [{ type: "file", mediaType: "image/png", filename: "a.png", url }],
  });
  t.match(textsOf(chat), [/a\.png/]);
  const [asked] = await history("files");
  t.match(asked.parts, [{ type: "file", filename: "a.png", mediaType: "image/png" }, { type: "text" }]);
  const again = open("files", { init: { messages: await history("files") } });
  await again.sendMessage({
    parts: [...asked.parts.slice(0, 1), { type: "text", text: "/attachments\n/say Edited" }],
    messageId: asked.id,
  });
  t.match(textsOf(again).join(), /a\.png.*Edited/s);
});

t.test("what is said while the agent works enters the message", async (t) => {
  const chat = open("steer");
  await chat.sendMessage({ text: "/ask Go? | yes\n/say Not said" });
  await engine.call("/execute", {
    body: { task_id: "steer", message: "/say Steered", when_busy: "steer", message_id: "s1" },
    headers: { accept: "application/json" },
  });
  const asked = await partOf(chat, ({ toolName }) => toolName === "ask_human");
  chat.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "yes" });
  const steered = await partOf(chat, ({ type }) => type === "steering-message");
  t.match(steered, { id: "s1", parts: [{ type: "text", text: "/say Steered" }] });
  await settled(chat);
  t.match(
    (await history("steer")).at(-1).parts.filter(({ type }: { type: string }) => type === "steering-message"),
    [{ parts: [{ text: "/say Steered" }] }],
  );
});

t.test("an answer continues after kill -9, with what was cut off replaced", async (t) => {
  const dataDir = freshFolder(t, "engine");
  const first = await startEngine(t, { dataDir });
  const options = { headers: { authorization: `Bearer ${first.key}` }, id: "killed" };
  const chat = openChat({ url: first.url, ...options });
  const sent = chat.sendMessage({
    text: "/say One\n/tool current_time {}\n/stream 400 400\n/ask Which? | this\n/say End",
  });
  await partOf(chat, ({ text }) => text?.startsWith("word0 word1 "));
  await first.stop("SIGKILL");
  await sent;
  t.equal(chat.status, "error");
  const second = await startEngine(t, { dataDir, key: first.key });
  const again = openChat({ url: second.url, ...options, init: { messages: chat.messages } });
  await again.resumeStream();
  t.equal(again.messages.length, 2);
  const [one, long] = textsOf(again);
  t.equal(one, "One");
  t.equal(long, Array.from({ length: 400 }, (_, index) => `word${index} `).join(""));
  const asked = await partOf(again, ({ toolName }) => toolName === "ask_human");
  await second.stop("SIGKILL");
  const third = await startEngine(t, { dataDir, key: first.key });
  const last = openChat({ url: third.url, ...options, init: { messages: again.messages } });
  last.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "this" });
  await until("the turn goes on", () => textsOf(last).at(-1) === "End");
  await settled(last);
  t.equal(last.messages.length, 2);
});

t.test("an answered message whose connection was lost is sent again, and shows nothing twice", async (t) => {
  let cuts = 0;
  const chat = open("lost", {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!String(init?.body).includes("output-available") || cuts++ > 0 || response.body === null) return response;
      let count = 0;
      const cut = new TransformStream({
        transform(chunk, controller) {
          if (count++ > 1) controller.error(new TypeError("network error"));
          else controller.enqueue(chunk);
        },
      });
      return new Response(response.body.pipeThrough(cut), response);
    },
  });
  await chat.sendMessage({
    text: "/say A\n/ask Which? | this\n/stream 20 200\n/tool current_time {}\n/stream 20 200\n/say End",
  });
  const asked = await partOf(chat, ({ toolName }) => toolName === "ask_human");
  chat.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "this" });
  await until("the connection is lost", () => chat.error !== undefined);
  chat.clearError();
  await chat.sendMessage();
  t.equal(chat.error, undefined);
  const words = Array.from({ length: 20 }, (_, index) => `word${index} `).join("");
  t.same(textsOf(chat), ["A", words, words, "End"]);
});

const post = (body: unknown, path = "/v1/ui/chat") => engine.call(path, { body });
const said = (text: string, more: object = {}) => ({ id: "m", role: "user", parts: [{ type: "text", text }], ...more });

t.test("what a hostile client sends is refused by its field", async (t) => {
  const refused = async (body: unknown, message: RegExp, status = 400) =>
    t.match(await post(body), { status, body: { error: String, message } }, String(message));
  await refused({}, /^id: /);
  await refused({ id: "x".repeat(300), messages: [said("a")] }, /^task_id: /);
  await refused({ id: "t", messages: [] }, /^messages: /);
  await refused({ id: "t", messages: "many" }, /^messages: /);
  await refused({ id: "t", messages: [said("a", { role: "nobody" })] }, /^messages\.0\.role: /);
  await refused({ id: "t", messages: [said("a", { role: "system" })] }, /^messages\.0\.role: /);
  await refused({ id: "t", messages: [said("a", { id: "x".repeat(201) })] }, /^messages\.0\.id: /);
  await refused({ id: "t", messages: [said("a", { parts: [] })] }, /^messages\.0\.parts: /);
  await refused({ id: "t", messages: [said("a", { parts: [{ type: "video" }] })] }, /^messages\.0\.parts\.0\.type: /);
  await refused({ id: "t", messages: [said("a")], trigger: "other" }, /^trigger: /);
  await refused({ id: "t", messages: [said("a")], client_tools: [{ name: "read_file" }] }, /^client_tools/);
  const file = (url: string) => ({
    id: "t",
    messages: [said("a", { parts: [{ type: "file", mediaType: "a/b", url }] })],
  });
  await refused(file("http://169.254.169.254/"), /^messages\.0\.parts\.0\.url: expected a data URL/);
  await refused(file("data:,%"), /^messages\.0\.parts\.0\.url: /);
  await refused({ id: "t", messages: Array.from({ length: 60_000 }, () => said("a")) }, /^body: .*100000 values/);
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  await refused({ id: "t", messages: [said("a", { metadata: { deep: JSON.parse(deep) } })] }, /^body: .*levels/);
  const answer = (id: string) => ({ id: "t", messages: [{ id, role: "assistant", parts: [] }] });
  await refused(answer("turn_unknown"), /no turn/, 404);
  await refused(answer("made-up"), /^messages: /, 404);
  t.equal((await engine.call("/tasks/t")).status, 404, "none of them began a task");
});

t.test("a message that is sent back without an answer ends with an error, not with another try", async (t) => {
  let calls = 0;
  const chat = open("loop", {
    init: { sendAutomaticallyWhen: () => true },
    fetch: (...call) => {
      calls++;
      return fetch(...call);
    },
  });
  await chat.sendMessage({ text: "/ask Which? | this" });
  await until("the chat fails", () => chat.error !== undefined);
  t.match(chat.error?.message, /the turn waits for an answer/);
  t.equal(calls, 2);
});

t.test("an answer reaches no turn of another chat", async (t) => {
  const chat = open("victim");
  await chat.sendMessage({ text: "/ask Which? | this" });
  const [turn] = await turns("victim");
  const asked = await partOf(chat, ({ toolName }) => toolName === "ask_human");
  const parts = [{ ...asked, state: "output-available", output: "this" }];
  const attack = await post({ id: "attacker", messages: [{ id: turn.turn_id, role: "assistant", parts }] });
  t.match(attack, { status: 404, body: { error: "NOT_FOUND" } });
  t.match(await turns("victim"), [{ state: "waiting_for_human" }]);
});

t.test("a token answers, edits and reads only with its scopes", async (t) => {
  const as = (scopes: string, more: Partial<ChatOptions> = {}) =>
    openChat({ url: engine.url, headers: { ...headers, [SCOPES_HEADER]: scopes }, id: "scopes", ...more });
  const chat = as("turns");
  await chat.sendMessage({ text: "/ask Which? | this\n/say End" });
  const asked = await partOf(chat, ({ toolName }) => toolName === "ask_human");
  chat.addToolOutput({ tool: "ask_human", toolCallId: asked.toolCallId, output: "this" });
  await until("the answer is refused", () => chat.error !== undefined);
  t.match(JSON.parse(chat.error?.message ?? ""), { error: "INSUFFICIENT_SCOPE", details: { scope: "answers" } });
  const answering = as("turns answers", { init: { messages: chat.messages } });
  await answering.sendMessage();
  t.same(textsOf(answering), ["End"]);
  await answering.sendMessage({ text: "/say Edited", messageId: chat.messages[0]?.id ?? "" });
  t.match(JSON.parse(answering.error?.message ?? ""), {
    error: "INSUFFICIENT_SCOPE",
    details: { scope: "tasks:read" },
  });
  const stored = await engine.call("/v1/ui/chat/scopes/messages", { headers: { [SCOPES_HEADER]: "turns" } });
  t.match(stored, { status: 403, body: { error: "INSUFFICIENT_SCOPE" } });
});

t.test("a long conversation is sent whole", async (t) => {
  const old = Array.from({ length: 3000 }, (_, index) => said(`said ${index}`, { id: `o${index}` }));
  t.equal((await post({ id: "long", messages: [...old, said("/say Hello", { id: "new" })] })).status, 200);
});
