import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { attachment } from "../../src/client/attachment.ts";
import { createEngineClient } from "../../src/client/engine-client.ts";
import type { TurnEvent } from "../../src/client/turn-event.ts";
import { type TestEngine, startEngine } from "../helpers/engine.ts";
import { png } from "../helpers/sample-files.ts";
import { until } from "../helpers/until.ts";
import { QUICK, cuttingFetch, readAll, seqs } from "./wire.ts";

const clientOf = ({ url, key }: Pick<TestEngine, "url" | "key">) => createEngineClient({ url, key, limits: QUICK });
/** Events with neighbouring deltas put together, as they may come from the store. */
function shape(events: readonly TurnEvent[]): readonly (readonly [string, string])[] {
  const shown: [string, string][] = [];
  for (const event of events) {
    const text = "text" in event.data ? String(event.data.text) : "";
    const last = shown.at(-1);
    if (event.event === "heartbeat") continue;
    if (event.event.endsWith("_delta") && last?.[0] === event.event) last[1] += text;
    else shown.push([event.event, text]);
  }
  return shown;
}
const textOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.event === "text_delta" ? [event.data.text] : [])).join("");

async function withEngine(t: Test) {
  const engine = await startEngine(t);
  return { engine, client: clientOf(engine) };
}

t.test("the built engine's whole interface, by the client", async (t) => {
  const { engine, client } = await withEngine(t);

  await t.test("messages that wait are sent, listed, changed and removed, and their turn is read", async (t) => {
    const events: TurnEvent[] = [];
    const asking = (async () => {
      for await (const event of client.execute({ taskId: "busy", message: "/ask Well?" })) events.push(event);
    })();
    await until("it asks", () => events.some(({ event }) => event === "hitl_request"));
    const message = { taskId: "busy", message: "/say two", whenBusy: "queue", messageId: "m2" } as const;
    t.match(await client.send(message), { message_id: "m2", position: 1, turn_id: null });
    t.match(await client.send(message), { message_id: "m2", position: 1 }, "repeated");
    await client.send({ ...message, messageId: "m3" });
    t.match(await client.editMessage({ taskId: "busy", messageId: "m2", message: "/say three" }), {
      text: "/say three",
    });
    await client.removeMessage("busy", "m3");
    await client.removeMessage("busy", "m3");
    t.match(await client.inbox("busy"), [{ message_id: "m2", text: "/say three" }]);
    const turn = client.execute({ taskId: "busy", message: "/say four", whenBusy: "queue", events: "message" });
    const read = readAll(turn);
    await until("both wait", async () => (await client.inbox("busy")).length === 2);
    t.equal(await client.cancel("busy"), true);
    const { events: own } = await read;
    t.match(own[1], { event: "message_taken", data: { how: "turn" } });
    t.equal(await turn.text(), "four");
    await asking;
    t.same(await client.inbox("busy"), []);
    t.equal(await client.cancel("busy", { inbox: true }), false);
  });

  await t.test("attachments, by the example of the document", async (t) => {
    const [, code = ""] = /```js\n([^]*?)```/.exec(readFileSync("docs/attachments.md", "utf8")) ?? [];
    const photo = png(30, 20);
    // Within the repository, so that it finds the package as a product does.
    const dir = t.testdir({ "photo.png": photo, "send.mjs": code.replace("What is this?", "/attachments") });
    const env = { PATH: process.env["PATH"] ?? "", ENGINE_URL: engine.url, ENGINE_KEY: engine.key };
    const { stdout } = await promisify(execFile)(process.execPath, ["send.mjs"], { cwd: dir, env });
    t.match(stdout, `user sent image photo.png, image/png, ${photo.length} bytes`);
    const large = Buffer.alloc(200_000, "0123456789");
    const part = await attachment(new Blob([large], { type: "text/csv" }), { name: "numbers.csv" });
    t.equal(part.data, large.toString("base64"));
    const turn = client.execute({ taskId: "csv", message: [{ type: "text", text: "/say ok" }, part] });
    const [started] = (await readAll(turn)).events;
    t.match(started?.data, { attachments: [{ kind: "text", media_type: "text/csv", bytes: 200_000 }] });
    const refused = client.execute({ taskId: "csv", message: [{ ...part, data: "?" }] });
    t.match((await readAll(refused)).error, { code: "INVALID_REQUEST", message: /message\.0\.data: expected base64/ });
    const whole = { type: "file", data: "A".repeat(32_000_000) } as const;
    t.match((await readAll(client.execute({ taskId: "csv", message: [whole] }))).error, { code: "PAYLOAD_TOO_LARGE" });
  });

  await t.test("a turn names its model, and is told of another one on request", async (t) => {
    const rules = { allowed: null, fallback: ["second"] };
    const cooldowns = [{ model: "first", reason: "overloaded", for_ms: 60_000 }];
    await engine.control("/control/models", { body: { ...rules, cooldowns } });
    const turn = { taskId: "models", message: "/say hi", model: "first", effort: "low" } as const;
    const changed = async (events?: string) =>
      (await readAll(client.execute({ ...turn, ...(events && { events }) }))).events.filter(
        ({ event }) => event === "model_changed",
      );
    t.match(await changed("model"), [{ data: { from: "first", to: "second", reason: "cooldown" } }]);
    t.same(await changed(), []);
    const wrong = client.execute({ ...turn, model: "openai:gpt-6" });
    t.match((await readAll(wrong)).error, { code: "INVALID_REQUEST", message: /^model: / });
    await engine.control("/control/models", { body: { allowed: null, fallback: [], cooldowns: [] } });
  });

  await t.test("a turn, its events and what it comes to", async (t) => {
    const message = "/think hm\n/say Hello \n/usage 7 5 3";
    const turn = client.execute({ taskId: "a", message, thinking: true, metadata: { from: "test" } });
    const { events, error } = await readAll(turn);
    t.equal(error, null);
    t.equal(events.at(-1)?.event, "thread_lifecycle");
    const result = await turn.result();
    t.match(result, { text: /^Hello/, thinking: "hm", usage: { input_tokens: 7, output_tokens: 5 }, taskId: "a" });
    t.equal(result.turnId, turn.turnId);
    t.ok(turn.turnId?.startsWith("turn_"));
  });

  await t.test("the demonstration, with its question answered by callback", async (t) => {
    const asked: string[] = [];
    const turn = client.execute({
      taskId: "b",
      message: "What can you do?",
      onHuman: ({ question, options }) => {
        asked.push(question);
        return options[0];
      },
    });
    const { text } = await turn.result();
    t.ok(text.length > 0);
    t.equal(asked.length, 1);
  });

  await t.test("permission is asked for, and its refusal reaches the model", async (t) => {
    const message = '/tool write_file {"path":"a.txt","content":"x"}\n/say done';
    const kinds: string[] = [];
    const turn = client.execute({
      taskId: "c",
      message,
      onHuman: ({ kind }) => {
        kinds.push(kind);
        return "deny";
      },
    });
    const { events } = await readAll(turn);
    t.same(kinds, ["permission"]);
    t.ok(events.some((event) => event.event === "tool_result" && event.data.error !== null));
  });

  await t.test(
    "an answer that is no option ends the reading; the question stays, and respond answers it",
    async (t) => {
      const turn = client.execute({ taskId: "d", message: "/ask Well? | yes | no\n/say ok", onHuman: () => "maybe" });
      await t.rejects(turn.result(), { code: "INVALID_REQUEST", status: 400 });
      const [open] = await client.pending();
      t.match(open, { question: "Well?", options: ["yes", "no"], task_id: "d" });
      await t.rejects(client.respond("hitl-nope", "yes"), { code: "HITL_NOT_FOUND", status: 404 });
      await client.respond(open!.request_id, "yes");
      await client.respond(open!.request_id, "yes");
      await t.rejects(client.respond(open!.request_id, "no"), { code: "HITL_ALREADY_ANSWERED", status: 409 });
      const rest = client.resume({ taskId: "d", turnId: turn.turnId!, onHuman: () => String(t.fail("asked again")) });
      t.equal(await rest.text(), "ok");
    },
  );

  await t.test("a turn that is cancelled, one that fails, and one that is rate-limited", async (t) => {
    const silent = client.execute({ taskId: "e", message: "/fail silent" });
    for await (const event of silent) if (event.event === "thread_lifecycle") t.type(await silent.cancel(), "boolean");
    await t.rejects(silent.result(), { code: "CANCELLED" });
    t.equal(await silent.cancel(), false);
    await t.rejects(client.execute({ taskId: "f", message: "/fail mid-stream" }).text(), {
      code: "LLM_PROVIDER_ERROR",
    });
    const waits: number[] = [];
    // Longer than the engine itself would wait: it hands that to its client at once.
    const message = "/fail rate-limited 100";
    const patient = createEngineClient({ ...engine, limits: { ...QUICK, longestWaitMs: 99_000 } });
    const limited = patient.execute({ taskId: "g", message, onRetry: ({ waitMs }) => waits.push(waitMs) });
    await t.rejects(limited.text(), { code: "LLM_RATE_LIMITED", retryAfterS: 100, details: { retry_after: 100 } });
    t.same(waits, [], "a wait that is too long is not waited");
  });

  await t.test("a task is created before its first message", async (t) => {
    const { task_id: taskId } = await client.createTask({ title: "Later", defaults: { model: "light" } });
    t.match(await client.task(taskId, { defaults: true }), { title: "Later", defaults: { model: "light" } });
    t.equal(await client.execute({ taskId, message: "/say first" }).text(), "first");
  });

  await t.test("a task is forked, rewound, and its last message answered again", async (t) => {
    await client.execute({ taskId: "long", message: "/say first" }).result();
    const fork = await client.forkTask({ taskId: "long", newTaskId: "short" });
    t.match(fork, { task_id: "short", parent: { task_id: "long" }, message_count: 2 });
    const answer = fork.parent.after_message ?? "";
    const planned = { taskId: "short", toMessage: answer, files: "restore", dryRun: true } as const;
    t.match(await client.rewindTask(planned), { left_branch: null, files: { counts: { restorable: 0 } } });
    const asked = `msg_${Number(answer.slice("msg_".length)) - 1}`;
    t.match(await client.rewindTask({ taskId: "short", toMessage: asked }), { last_message: asked });
    const { text } = await client.execute({ taskId: "short", regenerate: true }).result();
    t.equal(text, "first");
    await t.rejects(client.forkTask({ taskId: "long", newTaskId: "short" }), { code: "TASK_EXISTS" });
  });

  await t.test("the same name for a turn takes it up instead of beginning another", async (t) => {
    const wish = { taskId: "h", message: "/stream 20", idempotencyKey: "order-4711" };
    const first = await client.execute(wish).result();
    const again = await client.execute(wish).result();
    t.same(again, first);
    await t.rejects(client.execute({ ...wish, message: "other" }).text(), { code: "IDEMPOTENCY_CONFLICT" });
  });

  await t.test("a busy task is waited for", async (t) => {
    const first = client.execute({ taskId: "i", message: "/slow 300\n/say first" });
    const patient = createEngineClient({ ...engine, limits: { ...QUICK, backoffMs: 300 } });
    let tried = 0;
    for await (const event of first) {
      if (event.event !== "thread_lifecycle" || event.data.phase !== "started") continue;
      const second = patient.execute({ taskId: "i", message: "/say second", onRetry: () => tried++ });
      t.equal(await second.text(), "second");
    }
    t.ok(tried > 0);
  });

  await t.test("replay in pages, and following from where one was", async (t) => {
    const { turnId, text, lastSeq } = await client.execute({ taskId: "j", message: "/stream 200" }).result();
    const events: TurnEvent[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await client.replay({ taskId: "j", after, limit: 50 });
      t.equal(page.truncated, false);
      if (page.events.length === 0) break;
      events.push(...page.events);
      after = page.next_after ?? undefined;
    }
    t.equal(textOf(events), text);
    t.equal(seqs(events).at(-1), lastSeq);
    const followed: TurnEvent[] = [];
    for await (const event of client.follow({ turnId: turnId!, after: lastSeq! - 1 })) followed.push(event);
    t.same(seqs(followed), [lastSeq]);

    const live: TurnEvent[] = [];
    const controller = new AbortController();
    const following = (async () => {
      for await (const event of client.follow({ taskId: "j", after: lastSeq!, signal: controller.signal }))
        live.push(event);
    })();
    await client.execute({ taskId: "j", message: "/say next" }).text();
    await until("the follower has the next turn", () => textOf(live) === "next");
    controller.abort(new Error("enough"));
    await t.rejects(following, { message: "enough" });
  });

  await t.test("health without a key, servers, and calls with a wrong key", async (t) => {
    t.match(await client.health(), { status: "ok", engine_id: engine.launch.engine_id });
    t.ok(Array.isArray(await client.servers()));
    const stranger = createEngineClient({ url: engine.url, key: "sk-orch-wrong", limits: QUICK });
    await t.rejects(stranger.pending(), { code: "INVALID_ENGINE_KEY", status: 401 });
    await t.rejects(stranger.execute({ taskId: "k", message: "hi" }).text(), { code: "INVALID_ENGINE_KEY" });
    t.match(await stranger.health(), { status: "ok" });
  });
});

t.test("cut anywhere, twice, a turn of the real engine is read whole: the union equals the store", async (t) => {
  const { engine } = await withEngine(t);
  const message = "/think aé\n/stream 60\n/tool list_files {}\n/stream 60";
  const client = clientOf(engine);
  let faults = 0;
  for (let cut = 0; cut < 20_000; cut += 331) {
    const taskId = `cut-${cut}`;
    const fetch = cuttingFetch([cut, cut % 1000]);
    const lossy = createEngineClient({ url: engine.url, key: engine.key, fetch, limits: QUICK });
    const { events, error } = await readAll(lossy.execute({ taskId, message }));
    const read = seqs(events).filter((seq) => seq !== null);
    const rising = read.every((seq, index) => index === 0 || Number(seq) > Number(read[index - 1]));
    const stored = await client.replay({ taskId, limit: 10_000 });
    if (error !== null || !rising || JSON.stringify(shape(events)) !== JSON.stringify(shape(stored.events))) {
      faults++;
      t.comment(`cut at ${cut}: ${String(error)}, ${JSON.stringify(read)}`);
    }
  }
  t.equal(faults, 0);
});

t.test("a turn whose engine is killed and started again is read to its end, and its text is whole", async (t) => {
  const first = await startEngine(t);
  const { key, dataDir } = first;
  const limits = { ...QUICK, reconnectMs: Array<number>(200).fill(100) };
  const client = createEngineClient({ ...first, limits });
  const message = "/say before\n/tool list_files {}\n/stream 60 100";
  const turn = client.execute({ taskId: "k", message });
  let heard = 0;
  for await (const { event } of turn) {
    if (event !== "text_delta" || ++heard !== 20) continue;
    await first.stop("SIGKILL");
    await startEngine(t, { key, dataDir, port: first.launch.port });
  }
  const { text } = await turn.result();
  t.equal(text, await client.execute({ taskId: "unbroken", message }).text());
});

t.test("a turn with an output schema gives its result, and with context its text", async (t) => {
  const { client } = await withEngine(t);
  const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const submit = (city: unknown) => `/tool submit_result ${JSON.stringify({ city })}`;
  const turn = client.execute({ taskId: "o", message: `/say Bonn\n${submit("Bonn")}`, outputSchema });
  const { city } = await turn.output<{ city: string }>();
  t.equal(city, "Bonn");
  t.match(await turn.result(), { text: "Bonn", output: { city: "Bonn" } });
  t.match(await client.turn(String(turn.turnId)), { output: { city: "Bonn" } });
  const resumed = client.resume({ taskId: "o", turnId: String(turn.turnId) });
  t.same(await resumed.output(), { city: "Bonn" });

  const plain = client.execute({ taskId: "o", message: "/say hi" });
  t.equal((await plain.result()).output, null);
  await t.rejects(plain.output(), { code: "NO_OUTPUT" });
  const repairs = [1, 2, 3].map(submit).join("\n/say again\n");
  await t.rejects(client.execute({ taskId: "o", message: repairs, outputSchema }).output(), {
    code: "OUTPUT_INVALID",
    details: { repairs: 2 },
  });
  await t.rejects(client.execute({ taskId: "o", message: "hi", outputSchema: { type: "list" } }).output(), {
    code: "INVALID_REQUEST",
    message: /output_schema\.type/,
  });

  const context = [{ name: "page", content: "/orders/17", ttl: "task" as const }];
  await client.execute({ taskId: "c", message: "/say ok", context }).text();
  const shown = await client.execute({ taskId: "c", message: "/context" }).text();
  t.equal(shown, '{"name":"page","valid":"task","content":"/orders/17"}');
});
