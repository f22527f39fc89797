import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { base64, png } from "../../helpers/sample-files.ts";
import { type StreamEvent, managedClient, message, readTurn, typesOf } from "./parts/managed-client.ts";

const dataDir = freshFolder(t);
mkdirSync(join(dataDir, "workspace"), { recursive: true });
writeFileSync(join(dataDir, "workspace/dot.png"), png(3, 2));
const engine = await startEngine(t, { dataDir });
const { sessions, newSession, listed, say } = managedClient(engine);

t.test("a session is created, and a message is answered in its stream", async (t) => {
  const session = await newSession({ title: "First", metadata: { folder: "work" } });
  t.match(session, {
    type: "session",
    status: "idle",
    title: "First",
    metadata: { folder: "work" },
    archived_at: null,
  });
  const events = await say(session.id, "/think well\n/say hello");
  t.strictSame(typesOf(events), [
    "user.message",
    "session.status_running",
    "span.model_request_start",
    "agent.thinking",
    "agent.message",
    "span.model_request_end",
    "session.status_idle",
  ]);
  t.match(events[0], message("/think well\n/say hello"));
  t.match(events[4], { content: [{ type: "text", text: "hello" }] });
  t.match(events.at(-1), { stop_reason: { type: "end_turn" }, stop_details: null });
  t.same(await listed(session.id), events, "the list has the same events with the same ids");
});

t.test("a call of a custom tool waits for its result, which the stream and the list show", async (t) => {
  const tools = [
    { type: "custom" as const, name: "look", description: "Looks", input_schema: { type: "object" as const } },
  ];
  const agent = { type: "agent_with_overrides" as const, id: "default", tools };
  const session = await newSession({ agent });
  t.match(session.agent, { id: "default", tools });
  const answered = new Set<string>();
  const events = await say(session.id, '/tool look {"at":"a"}\n/tool look {"at":"b"}\n/say seen', async (ids) => {
    for (const id of ids.filter((one) => !answered.has(one))) {
      const content = [{ type: "text" as const, text: `result ${answered.size}` }];
      const is_error = answered.size === 1;
      answered.add(id);
      const event = { type: "user.custom_tool_result" as const, custom_tool_use_id: id, content, is_error };
      await sessions.events.send(session.id, { events: [event, event] });
    }
  });
  const uses = events.filter(({ type }) => type === "agent.custom_tool_use");
  t.match(uses, [
    { name: "look", input: { at: "a" } },
    { name: "look", input: { at: "b" } },
  ]);
  const results = events.filter(({ type }) => type === "user.custom_tool_result");
  const named = new Set(results.map((one) => one.type === "user.custom_tool_result" && one.custom_tool_use_id));
  t.same(named, new Set(uses.map((one) => one.type === "agent.custom_tool_use" && one.id)));
  const all = await listed(session.id);
  const known = new Set(events.map((one) => ("id" in one ? one.id : "")));
  t.ok(
    all.every(({ id }) => known.has(id)),
    "the stream has each event of the list",
  );
});

t.test("the tool runner of the SDK runs the custom tools of a session", async (t) => {
  const look = betaTool({
    name: "look",
    description: "Looks",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
    run: async ({ at }) => `seen ${String(at)}`,
  });
  const { id } = await newSession({
    agent: {
      type: "agent_with_overrides",
      id: "default",
      tools: [{ type: "custom", name: "look", description: "Looks", input_schema: { type: "object" } }],
    },
  });
  await sessions.events.send(id, { events: [message('/tool look {"at":"home"}\n/say done')] });
  const calls = [];
  for await (const call of sessions.events.toolRunner(id, { tools: [look], maxIdleMs: 20 })) calls.push(call);
  t.match(calls, [{ name: "look", isError: false, posted: true }]);
  t.match(typesOf(await listed(id)).at(-1), "session.status_idle");
});

t.test("a permission prompt is confirmed or denied, with a reason that the agent is told", async (t) => {
  const { id } = await newSession();
  const write = '/tool write_file {"path":"a.txt","content":"x"}\n/say over';
  const confirm = (given: object) => async (ids: readonly string[]) => {
    const tool_use_id = String(ids[0]);
    const event = { type: "user.tool_confirmation" as const, tool_use_id, result: "allow" as const, ...given };
    await sessions.events.send(id, { events: [event] });
    await sessions.events.send(id, { events: [event] });
  };
  const allowed = await say(id, write, confirm({}));
  t.match(
    allowed.find(({ type }) => type === "user.tool_confirmation"),
    { result: "allow", tool_use_id: allowed.flatMap((one) => (one.type === "agent.tool_use" ? one.id : []))[0] },
  );
  t.match(
    allowed.find(({ type }) => type === "agent.tool_result"),
    { is_error: false },
  );
  const denied = await say(
    id,
    write.replace("a.txt", "b.txt"),
    confirm({ result: "deny", deny_message: "/say not here" }),
  );
  t.match(
    denied.find(({ type }) => type === "agent.tool_result"),
    { is_error: true },
  );
  t.match(
    denied.filter(({ type }) => type === "user.message"),
    [{}, message("/say not here")],
  );
});

t.test("a question of the agent is a call of the custom tool ask_human", async (t) => {
  const { id } = await newSession();
  const events = await say(id, "/ask Which one? | left | right\n/say fine", async ([asked]) => {
    const content = [{ type: "text" as const, text: "left" }];
    const event = { type: "user.custom_tool_result" as const, custom_tool_use_id: String(asked), content };
    await sessions.events.send(id, { events: [event] });
  });
  t.match(
    events.find(({ type }) => type === "agent.custom_tool_use"),
    { name: "ask_human", input: { question: "Which one?", options: ["left", "right"] } },
  );
  t.strictSame(typesOf(events).slice(-5), [
    "session.status_running",
    "span.model_request_start",
    "agent.message",
    "span.model_request_end",
    "session.status_idle",
  ]);
});

t.test("an interrupt ends the turn, and the message after it begins the next one", async (t) => {
  const { id } = await newSession();
  const stream = await sessions.events.stream(id);
  await sessions.events.send(id, { events: [message("/say first\n/fail silent")] });
  const events: StreamEvent[] = [];
  let isSent = false;
  for await (const event of stream) {
    events.push(event);
    if (event.type === "agent.message" && !isSent) {
      isSent = true;
      await sessions.events.send(id, { events: [{ type: "user.interrupt" }, message("/say second")] });
    }
    if (
      event.type === "session.status_idle" &&
      events.some(
        (one) =>
          one.type === "agent.message" && one.content.some((block) => block.type === "text" && block.text === "second"),
      )
    )
      break;
  }
  t.ok(typesOf(events).includes("user.interrupt"));
  t.notOk(typesOf(events).includes("session.error"));
  t.same(await listed(id), events);
});

t.test("a turn that fails tells why, and the session takes the next message", async (t) => {
  const { id } = await newSession();
  const events = await say(id, "/say before\n/fail provider");
  t.match(
    events.find(({ type }) => type === "session.error"),
    { error: { type: "model_request_failed_error", retry_status: { type: "exhausted" } } },
  );
  t.match(events.at(-1), { stop_reason: { type: "retries_exhausted" } });
  t.match((await say(id, "/say again")).at(-1), { stop_reason: { type: "end_turn" } });
});

t.test("previews of a message add up to it", async (t) => {
  const { id } = await newSession();
  const stream = await sessions.events.stream(id, { event_deltas: ["agent.message"] });
  await sessions.events.send(id, { events: [message("/stream 30 300\n/tool list_files {}\n/say end")] });
  const previews = new Map<string, string>();
  const messages = new Map<string, string>();
  for (const event of await readTurn(stream)) {
    if (event.type === "event_start") previews.set(event.event.id, "");
    if (event.type === "event_delta")
      previews.set(event.event_id, `${previews.get(event.event_id)}${event.delta.content.text}`);
    if (event.type === "agent.message")
      messages.set(event.id, event.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
  }
  t.equal(messages.size, 2);
  t.same(previews, messages);
});

t.test("the list has pages in both orders, and can be narrowed by types", async (t) => {
  const { id } = await newSession();
  for (const text of ["/say one\n/say two", "/tool list_files {}\n/say three", "/say four"]) await say(id, text);
  const all = await listed(id);
  t.equal(new Set(all.map((one) => one.id)).size, all.length);
  for (const limit of [1, 2, 3, 7]) {
    t.same(await listed(id, { limit }), all, `pages of ${limit}`);
    t.same(await listed(id, { limit, order: "desc" }), all.toReversed());
  }
  const own = await listed(id, { types: ["user.message", "agent.message"], limit: 2 });
  t.strictSame(
    typesOf(own),
    typesOf(all).filter((type) => type === "user.message" || type === "agent.message"),
  );
  const at = String(all[4]?.processed_at);
  t.same(
    await listed(id, { "created_at[lt]": at }),
    all.filter((one) => String(one.processed_at) < at),
  );
});

t.test("images and documents go to the model, and come back as files", async (t) => {
  const { id } = await newSession();
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, data: base64(png(4, 4)), media_type: "image/png" },
  };
  const document = {
    type: "document" as const,
    title: "notes.txt",
    source: { type: "text" as const, data: "a note", media_type: "text/plain" as const },
  };
  const stream = await sessions.events.stream(id);
  await sessions.events.send(id, {
    events: [{ type: "user.message", content: [{ type: "text", text: "/attachments" }, image, document] }],
  });
  const [asked, ...events] = await readTurn(stream);
  t.match(asked, { content: [{ type: "text" }, { type: "image", source: { type: "file" } }, { type: "document" }] });
  const answers = events.filter(({ type }) => type === "agent.message");
  t.match(JSON.stringify(answers), /notes\.txt/);
  const again = asked?.type === "user.message" ? asked.content[1] : undefined;
  t.match(
    await say(id, '/tool read_file {"path":"dot.png"}\n/say seen').then((all) =>
      all.find(({ type }) => type === "agent.tool_result"),
    ),
    {
      content: [{ type: "text" }, { type: "image", source: { type: "file" } }],
    },
  );
  const second = await sessions.events.stream(id);
  await sessions.events.send(id, {
    events: [{ type: "user.message", content: [{ type: "text", text: "/attachments" }, again as never] }],
  });
  t.match((await readTurn(second))[0], { content: [{}, { type: "image" }] });
});
