import t from "tap";
import { type PromptRequest, methods } from "@agentclientprotocol/sdk";
import { type Editor, openEditor } from "../helpers/editor.ts";
import { png } from "../helpers/sample-files.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t, { env: { ORCH_HEALTH_INTERVAL_S: "1" } });
const alice = await fleet.provision("alice");
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: t.testdir({}),
  ORCH_URL: fleet.daemon.url,
  ORCH_PLATFORM_KEY: fleet.platformKey,
  ORCH_ENGINE_KEY: alice.key,
};
const open = (t: Parameters<typeof openEditor>[0], more: Omit<Parameters<typeof openEditor>[1], "user" | "env"> = {}) =>
  openEditor(t, { user: "alice", env, ...more });
const { session } = methods.agent;
const start = ({ agent }: Editor) => agent.request(session.new, { cwd: "/", mcpServers: [] });
const say = ({ agent }: Editor, sessionId: string, text: string) =>
  agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text }] });
/** The editor's own SDK hands on the last updates after the answer to the prompt. */
const shows = (editor: Editor, text: string, kind: Parameters<Editor["text"]>[0] = "agent_message_chunk") =>
  until(`the editor shows ${text}`, () => editor.text(kind).endsWith(text));

t.test("a prompt streams thoughts, text and calls, and its answer has the usage", async (t) => {
  const editor = await open(t);
  const { sessionId, modes, configOptions } = await start(editor);
  t.match(modes, { currentModeId: "default" });
  t.ok(modes?.availableModes.some(({ id }) => id === "researcher"));
  t.match(configOptions, [{ id: "model" }, { id: "effort" }]);
  const answer = await say(editor, sessionId, "/think Hm.\n/tool list_files {}\n/usage 10 5 1\n/say Done.");
  t.match(answer, { stopReason: "end_turn", _meta: { usage: { output_tokens: Number } } });
  await shows(editor, "Hm.", "agent_thought_chunk");
  t.equal(editor.text("agent_thought_chunk"), "Hm.");
  await shows(editor, "Done.");
  t.equal(editor.text("agent_message_chunk"), "Done.");
  t.match(
    editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call")),
    [
      { sessionUpdate: "tool_call", name: "list_files", kind: "search", status: "in_progress" },
      { sessionUpdate: "tool_call_update", status: "completed", content: [{ type: "content" }] },
    ],
  );
  await say(editor, sessionId, '/tool plan {"items":[{"text":"Look","status":"completed"},{"text":"Do"}]}');
  t.match(
    editor.updates.find(({ sessionUpdate }) => sessionUpdate === "plan"),
    {
      entries: [
        { content: "Look", status: "completed" },
        { content: "Do", status: "pending" },
      ],
    },
  );
  t.equal(await editor.leave(), 0);
  t.equal(editor.stderr(), "");
});

t.test("images and embedded files reach the agent, and other blocks are refused by their place", async (t) => {
  const editor = await open(t);
  const { sessionId } = await start(editor);
  const send = (...prompt: PromptRequest["prompt"]) => editor.agent.request(session.prompt, { sessionId, prompt });
  await send(
    { type: "text", text: "/attachments" },
    { type: "image", data: png(4, 4).toString("base64"), mimeType: "image/png" },
    { type: "resource", resource: { uri: "file:///tmp/a.txt", text: "A" } },
  );
  await until("the image is read", () => editor.text("agent_message_chunk").includes("image/png"));
  await t.rejects(send({ type: "audio", data: "AAAA", mimeType: "audio/wav" }), { code: -32602 });
  await t.rejects(send({ type: "image", data: "AAAA", mimeType: "image/png" }), { code: -32602, message: /message/ });
});

t.test("a permission prompt is one of the editor", async (t) => {
  const asked: unknown[] = [];
  const editor = await open(t, {
    permit(request) {
      asked.push(request);
      return { outcome: "selected", optionId: asked.length === 1 ? "deny" : "allow_once" };
    },
  });
  const { sessionId } = await start(editor);
  const write = '/tool write_file {"path":"acp.txt","content":"x"}\n/say Done.';
  await say(editor, sessionId, write);
  t.equal((await alice.call("/files/content?path=acp.txt")).status, 404);
  await say(editor, sessionId, write);
  t.equal((await alice.call("/files/content?path=acp.txt")).status, 200);
  t.match(asked[0], {
    sessionId,
    toolCall: { toolCallId: String, title: /acp\.txt/ },
    options: [{ optionId: "allow_once", kind: "allow_once" }, {}, {}, { optionId: "deny", kind: "reject_once" }],
  });
});

t.test("a question is a form, a choice, or the end of the answer, by what the editor can show", async (t) => {
  const forms = await open(t, { fill: () => ({ action: "accept", content: { answer: "B" } }) });
  const first = await start(forms);
  await say(forms, first.sessionId, "/ask Which? | A | B\n/say Fine.");
  await shows(forms, "Fine.");

  const choices = await open(t, { permit: () => ({ outcome: "selected", optionId: "A" }) });
  const second = await start(choices);
  await say(choices, second.sessionId, "/ask Which? | A | B\n/say Fine.");
  await shows(choices, "Fine.");

  const plain = await open(t);
  const { sessionId } = await start(plain);
  t.match(await say(plain, sessionId, "/ask What is your name?\n/say Hello."), { stopReason: "end_turn" });
  await shows(plain, "What is your name?");
  t.match(await say(plain, sessionId, "Alice"), { stopReason: "end_turn" });
  await shows(plain, "Hello.");
  t.match((await alice.call(`/turns?task_id=${sessionId}`)).body.items.length, 1);
});

t.test("a cancel ends the turn, and a failed turn is an error with its code", async (t) => {
  const editor = await open(t);
  const { sessionId } = await start(editor);
  const answer = say(editor, sessionId, "/say Wait.\n/slow 60000");
  await until("the turn runs", () => editor.text("agent_message_chunk") !== "");
  await editor.agent.notify(session.cancel, { sessionId });
  t.match(await answer, { stopReason: "cancelled" });
  await t.rejects(say(editor, sessionId, "/fail provider"), { message: /LLM_PROVIDER_ERROR/ });
});

t.test("the agent is the mode of a session, and unknown modes, options and sessions are refused", async (t) => {
  const editor = await open(t);
  const { sessionId } = await start(editor);
  const { agent } = editor;
  await agent.request(session.setMode, { sessionId, modeId: "researcher" });
  await agent.request(session.setConfigOption, { sessionId, configId: "effort", value: "low" });
  await say(editor, sessionId, "/say Hi.");
  t.equal((await alice.call(`/tasks/${sessionId}`)).body.agent, "researcher");
  await t.rejects(agent.request(session.setMode, { sessionId, modeId: "nobody" }), { code: -32602 });
  await t.rejects(agent.request(session.setConfigOption, { sessionId, configId: "effort", value: "huge" }), {
    code: -32602,
  });
  await t.rejects(agent.request(session.load, { sessionId: "unknown", cwd: "/", mcpServers: [] }), { code: -32002 });
});

t.test("another editor lists, loads and continues the session", async (t) => {
  const first = await open(t);
  const { sessionId } = await start(first);
  await say(first, sessionId, "/think Hm.\n/tool list_files {}\n/say One.");
  await first.leave();
  const editor = await open(t);
  const { sessions } = await editor.agent.request(session.list, {});
  t.ok(sessions.some((one) => one.sessionId === sessionId));
  await editor.agent.request(session.load, { sessionId, cwd: "/", mcpServers: [] });
  await shows(editor, "One.");
  t.match(
    editor.updates.map(({ sessionUpdate }) => sessionUpdate),
    ["user_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "agent_message_chunk"],
  );
  await say(editor, sessionId, "/say Two.");
  await shows(editor, "One.Two.");
  t.equal(editor.text("agent_message_chunk"), "One.Two.");
  await editor.agent.request(session.delete, { sessionId });
  t.equal((await alice.call(`/tasks/${sessionId}`)).status, 404);
});

t.test("an answer goes on after kill -9 of the engine, and nothing is shown twice", async (t) => {
  const editor = await open(t);
  const { sessionId } = await start(editor);
  const answer = say(editor, sessionId, "/say One.\n/tool list_files {}\n/stream 20 20\n/say Three.");
  await until("the stream has begun", () => /word3/.test(editor.text("agent_message_chunk")));
  process.kill((await alice.show()).pid, "SIGKILL");
  t.match(await answer, { stopReason: "end_turn" });
  const words = Array.from({ length: 20 }, (_, index) => `word${index} `).join("");
  await shows(editor, `One.${words}Three.`);
  t.equal(editor.text("agent_message_chunk"), `One.${words}Three.`);
});

t.test("a sleeping engine wakes at a prompt", async (t) => {
  const editor = await open(t);
  const { sessionId } = await start(editor);
  await alice.sleep();
  await say(editor, sessionId, "/say Awake.");
  await shows(editor, "Awake.");
  t.equal(editor.text("agent_message_chunk"), "Awake.");
});
