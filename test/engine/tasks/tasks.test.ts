import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createEngineClient } from "../../../src/client/engine-client.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { base64, png } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";

const clientOf = ({ url, key }: Pick<TestEngine, "url" | "key">) => createEngineClient({ url, key });

async function opened(t: Test, options: Parameters<typeof startEngine>[1] = {}) {
  const engine = await startEngine(t, options);
  const client = clientOf(engine);
  const ids = async (query: Parameters<typeof client.listTasks>[0] = {}) =>
    (await client.listTasks(query)).items.map(({ task_id: id }) => id);
  return { engine, client, ids };
}

t.test("tasks are listed by their latest activity, found by what was said, and filtered", async (t) => {
  const { engine, client, ids } = await opened(t);
  await engine.turn("pears", "/say Pears ripen in September.\nWhen are pears ripe?");
  await engine.turn("plums", "/say Plums ripen in August.\nAnd the plums?");
  await engine.turn("月", "/say 好的。\n明天去北京看朋友");
  await engine.turn("pears", "/think secretword\n/say Yes.\nIs Zürich near?");
  t.same(await ids(), ["pears", "月", "plums"]);
  t.same(await ids({ q: "ripening" }), ["pears", "plums"], "in answers, without endings");
  t.same(await ids({ q: "zurich NEAR" }), ["pears"], "without accents and case");
  t.same(await ids({ q: "september zurich" }), [], "all words are in one message");
  t.same(await ids({ q: "北京" }), ["月"]);
  t.same(await ids({ q: "the" }), [], "a word that asks nothing finds nothing");
  t.same(await ids({ q: '" OR 1) NEAR(' }), [], "no character is syntax");
  const { items, next_cursor: cursor } = await client.listTasks({ q: "ripen", limit: 1 });
  t.match(items, [{ task_id: "pears" }]);
  t.match(await client.listTasks({ q: "ripen", limit: 1, cursor: cursor ?? "" }), { items: [{ task_id: "plums" }] });
  await client.changeTask("plums", { title: "Orchard", metadata: { folder: "garden", note: 'a"b' } });
  t.same(await ids({ q: "orchards" }), ["plums"], "a title that a person set is searched");
  await client.changeTask("plums", { title: "Fruit", metadata: { note: null } });
  t.same(await ids({ q: "orchard" }), [], "and the one before it no more");
  t.same(await ids({ metadata: { folder: "garden" } }), ["plums"]);
  t.same(await ids({ metadata: { folder: "garden", note: 'a"b' } }), []);
  await client.changeTask("pears", { archived: true });
  t.same(await ids(), ["月", "plums"]);
  t.same(await ids({ archived: "true" }), ["pears"]);
  t.same(await ids({ archived: "any", agent: "default", limit: 2 }), ["pears", "月"], "a change is no activity");
  t.match(await client.task("pears"), { message_count: 4, title_source: "first_words", state: "idle" });
});

t.test("titles and searches may have what is syntax elsewhere", async (t) => {
  const { engine, client, ids } = await opened(t);
  const titles = [
    '"',
    "kiwi AND NOT",
    "kiwi NEAR(lime, 2)",
    "text:kiwi*",
    '^kiwi" + "lime',
    "{kiwi} - lime",
    "kiwi'); --",
  ];
  await engine.turn("a", "/say fine");
  for (const title of titles) {
    t.equal((await client.changeTask("a", { title })).title, title);
    t.same(await ids({ q: title }), title.includes("kiwi") ? ["a"] : [], `${title} finds itself`);
    t.same(await ids({ q: `${title} papaya` }), [], "each word counts");
  }
  t.same(await ids({ q: "kiw" }), [], "a prefix is no word");
  t.same(await ids({ q: "\u0000" }), []);
});

t.test("messages have their parts, and pages in both directions", async (t) => {
  const { engine, client } = await opened(t);
  const image = { type: "image", data: base64(png(3, 2)), name: "dot.png" } as const;
  await engine.execute({ task_id: "a", message: [{ type: "text", text: "/say seen" }, image] }).then((s) => s.all());
  const asked = await engine.execute({ task_id: "a", message: "/think hm\n/ask Which? | left | right\n/say done" });
  const { data } = await asked.first("hitl_request");
  t.match(await client.task("a"), { state: "waiting", open_requests: 1 });
  t.match((await client.taskMessages("a", { limit: 1 })).items, [
    { status: "waiting_for_human", usage: null, parts: [{}, { type: "tool", status: "running" }, { status: "open" }] },
  ]);
  await client.respond(data.request_id, "left");
  await asked.all();
  await engine.turn("a", "/fail LLM_PROVIDER_ERROR");
  const { items } = await client.taskMessages("a");
  t.match(items, [
    {
      role: "user",
      status: "completed",
      usage: null,
      parts: [{ type: "text" }, { type: "attachment", name: "dot.png" }],
    },
    { role: "assistant", parts: [{ type: "text", text: "seen" }], usage: { output_tokens: Number } },
    { role: "user" },
    {
      role: "assistant",
      status: "completed",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "tool", tool: "ask_human", status: "completed" },
        { type: "question", status: "answered", answer: "left" },
        { type: "text", text: "done" },
      ],
    },
    { role: "user", status: "errored", parts: [{ type: "text" }, { type: "error", error: "LLM_PROVIDER_ERROR" }] },
  ]);
  t.equal((await client.task("a")).message_count, items.length);
  const ids = items.map(({ message_id: id }) => id);
  const read: string[] = [];
  for (let before: string | null | undefined; before !== null;) {
    const page = await client.taskMessages("a", { limit: 2, before });
    read.unshift(...page.items.map(({ message_id: id }) => id));
    ({ before } = page);
  }
  t.same(read, ids);
  const forwards: string[] = ids.slice(0, 1);
  for (let after: string | null | undefined = ids[0]; after !== null && after !== undefined;) {
    const page = await client.taskMessages("a", { limit: 2, after });
    forwards.push(...page.items.map(({ message_id: id }) => id));
    ({ after } = page);
  }
  t.same(forwards, ids);
});

t.test("context and the result of a turn are in its messages, and what the engine asked is not", async (t) => {
  const { engine, client } = await opened(t);
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const context = [{ name: "page", content: "/orders/17" }];
  await engine.turn("a", '/tool submit_result {"city":"Oslo"}', { output_schema: schema, context });
  const { items } = await client.taskMessages("a");
  t.match(items, [
    { role: "user", parts: [{ type: "text" }, { type: "context", name: "page", content: "/orders/17", ttl: "turn" }] },
    { role: "assistant", output: { city: "Oslo" }, status: "completed" },
  ]);
  await engine.turn("b", "/say Oslo", { output_schema: schema });
  const asked = await client.taskMessages("b");
  t.match(asked.items[1], {
    parts: [
      { type: "text", text: "Oslo" },
      { type: "error", error: "OUTPUT_INVALID" },
    ],
  });
  t.same([items.length, asked.items.length], [2, 2]);
  t.equal((await client.task("b")).message_count, 2);
  t.equal((await client.task("a")).message_count, 2);
});

t.test("records and messages survive a kill at any point, and a resumed turn counts once", async (t) => {
  const dataDir = freshFolder(t);
  const first = await opened(t, { dataDir });
  await first.engine.turn("a", "/say one");
  const stream = await first.engine.execute({ task_id: "a", message: "/tool list_files {}\n/slow 600\n/say two" });
  await stream.first("tool_result");
  await first.engine.stop("SIGKILL");
  const { client } = await opened(t, { dataDir, key: first.engine.key });
  await until("the turn has ended", async () => (await client.task("a")).state === "idle");
  const [task, { items }] = [await client.task("a"), await client.taskMessages("a")];
  t.equal(task.message_count, 4);
  t.match(
    items.map(({ role, status }) => [role, status]),
    [
      ["user", "completed"],
      ["assistant", "completed"],
      ["user", "completed"],
      ["assistant", "completed"],
    ],
  );
  t.match(items.at(-1)?.parts, [
    { type: "tool", tool: "list_files" },
    { type: "text", text: "two" },
  ]);
  t.same(
    (await client.listTasks({ q: "two" })).items.map(({ task_id: id }) => id),
    ["a"],
    "what was not indexed before the kill is found",
  );
});

t.test("a deleted task leaves nothing, and a turn with its id begins a new one", async (t) => {
  const { engine, client, ids } = await opened(t);
  const attachments = join(engine.dataDir, "workspace/.orch/attachments");
  const image = (side: number) => ({ type: "image", data: base64(png(side, 2)), name: `${side}.png` }) as const;
  const send = (task: string, ...message: readonly object[]) =>
    engine.execute({ task_id: task, message: [{ type: "text", text: "/say seen" }, ...message] }).then((s) => s.all());
  await send("a", image(3), image(4));
  await send("b", image(4));
  await engine.turn("a", '/tool memory_note {"content":"likes tea"}\n/say kiwi');
  const turn = (await client.listTurns({ taskId: "a" })).items[0]?.turn_id ?? "";
  const last = (await client.replay()).events.at(-1)?.data;
  const deleted = await client.deleteTask("a");
  t.match(deleted, { deleted: { messages: 6, turns: 2, attachments: 1 }, kept_messages: 0, forgotten: null });
  t.same(
    readdirSync(attachments).map((name) => name.slice(17)),
    ["4.png"],
    "a file that another task mentions stays",
  );
  await t.rejects(client.task("a"), { code: "NOT_FOUND" });
  await t.rejects(client.turn(turn), { code: "NOT_FOUND" });
  t.same((await client.replay({ taskId: "a" })).events, []);
  t.same(await ids({ q: "kiwi", archived: "any" }), []);
  t.equal((await client.searchKnowledge({ query: "tea" })).length > 0, true, "memory keeps what it has learned");
  await engine.stop("SIGKILL");
  const again = await opened(t, { dataDir: engine.dataDir, key: engine.key });
  const [event] = await again.engine.turn("a", "/say anew");
  t.ok(event !== undefined && last !== undefined && "seq" in last && event.data.seq > Number(last.seq));
  t.match(await again.client.task("a"), { message_count: 2, title: "/say anew" });
  t.notOk(existsSync(join(attachments, "none")));
});

t.test("forgetting removes what memory has from the task alone", async (t) => {
  const { engine, client } = await opened(t);
  await engine.turn("a", "/say fine\nMy name is Anna. I live in Oslo.");
  await engine.turn("b", "/say fine\nMy name is Anna.");
  await client.triggerLearning();
  const facts = async () => {
    const { items } = await client.listMemory("knowledge");
    return items.map(({ content }) => content).toSorted();
  };
  const before = await facts();
  t.ok(before.some((one) => one.includes("Oslo")) && before.some((one) => one.includes("Anna")), String(before));
  const { forgotten } = await client.deleteTask("a", { forget: true });
  t.match(forgotten, { episodes: 1, trajectories: 1, facts: before.filter((one) => one.includes("Oslo")).length });
  const left = await facts();
  t.notOk(left.some((one) => one.includes("Oslo")));
  t.ok(
    left.some((one) => one.includes("Anna")),
    "what another task has said too stays",
  );
});

t.test("the list can be followed: its first page, then each change", async (t) => {
  const { engine, client } = await opened(t);
  await engine.turn("old", "/say one");
  const seen: string[] = [];
  const following = new AbortController();
  const reading = (async () => {
    for await (const { event, data } of client.followTasks({ signal: following.signal }))
      seen.push(event === "task" ? `${data.task_id} ${data.state} ${data.message_count}` : event);
  })();
  await until("the first page was read", () => seen.includes("heartbeat"));
  t.same(seen, ["old idle 2", "heartbeat"]);
  const asked = await engine.execute({ task_id: "new", message: "/ask Which? | left\n/say done" });
  const { data } = await asked.first("hitl_request");
  await until("it waits", () => seen.includes("new waiting 2"));
  await client.respond(data.request_id, "left");
  await asked.all();
  await until("it has ended", () => seen.includes("new idle 2"));
  const look = { name: "look", description: "Looks", input_schema: { type: "object" } };
  const called = await engine.execute({ task_id: "called", message: "/slow 300\n/tool look {}", client_tools: [look] });
  const { data: call } = await called.first("tool_call");
  await until("it waits, of which no event of the turn tells", () =>
    seen.some((one) => one.startsWith("called waiting")),
  );
  await engine.call("/tools/respond", { body: { tool_call_id: call.tool_call_id, output: "seen" } });
  await called.all();
  await until("it has ended too", () => seen.findLast((one) => one.startsWith("called"))?.startsWith("called idle"));
  await client.changeTask("old", { archived: true });
  await until("it left the list", () => seen.includes("task_removed"));
  await client.deleteTask("new");
  await until("both did", () => seen.filter((one) => one === "task_removed").length === 2);
  following.abort();
  await t.rejects(reading);
});

t.test("words that most tasks have are found in order, page by page", async (t) => {
  const dataDir = freshFolder(t);
  const store = openStore(dataDir);
  const tasks = new TaskTable(store);
  const insert = store.db.prepare(
    `insert into messages (task_id, turn_id, branch, role, created_at, content)
     values (?1, 'turn_' || ?1, (select branch_id from tasks where task_id = ?1), 'user', 1, '"apples everywhere"')`,
  );
  store.transaction(() => {
    for (let n = 0; n < 1200; n++) {
      tasks.turnStarted(`t${n}`, { agent: "default", message: "apples", at: n });
      for (let m = 0; m < 10; m++) insert.run(`t${n}`);
    }
  });
  store.close();
  const { client } = await opened(t, { dataDir });
  await until("everything is indexed", async () => {
    const { items } = await client.listTasks({ q: "apples", limit: 1 });
    return items[0]?.task_id === "t1199";
  });
  const { items, next_cursor: cursor } = await client.listTasks({ q: "apple", limit: 200 });
  t.equal(items.at(-1)?.task_id, "t1000");
  t.match(await client.listTasks({ q: "apple", limit: 1, cursor: cursor ?? "" }), { items: [{ task_id: "t999" }] });
});
