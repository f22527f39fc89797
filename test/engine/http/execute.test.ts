import { Agent, request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { ENGINE_EVENTS } from "../../../src/contract/engine/events.ts";
import { type Frame, startEngine } from "../../helpers/engine.ts";

const text = (frames: readonly Frame[]) =>
  frames
    .filter(({ event }) => event === "text_delta")
    .map(({ data }) => data.text)
    .join("");

const engine = await startEngine(t);

t.test("a turn", async (t) => {
  t.test("opens with started, closes with completed, in exact frames with rising stamps", async (t) => {
    const stream = await engine.execute({ task_id: "plain", message: "/say Hello there" });
    t.equal(stream.status, 200);
    t.match(stream.headers["content-type"], /^text\/event-stream/);
    t.equal(stream.headers["cache-control"], "no-cache, no-transform");
    t.equal(stream.headers["x-accel-buffering"], "no");
    const frames = await stream.all();
    t.match(frames[0], { event: "thread_lifecycle", data: { phase: "started", task_id: "plain" } });
    t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed", task_id: "plain" } });
    t.equal(frames[0]?.data.turn_id, stream.headers["x-turn-id"]);
    t.equal(text(frames), "Hello there");
    const types = new Set(Object.keys(ENGINE_EVENTS));
    t.same(
      frames.filter(({ event }) => !types.has(event)),
      [],
      "every event is in the catalog",
    );
    const ts = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    t.match(
      frames,
      frames.map(() => ({ id: null, data: { task_id: "plain", turn_id: frames[0]?.data.turn_id, ts } })),
      "every frame names its turn and has no id line unless asked for",
    );
    const lifecycle = frames.filter(({ event }) => event === "thread_lifecycle");
    t.ok(lifecycle.every(({ data }) => data.timestamp === data.ts));
    const rises = frames.every(({ data }, index) => {
      const before = frames[index - 1]?.data;
      return before === undefined || (data.seq > before.seq && data.ts > before.ts);
    });
    t.ok(rises, "seq and ts rise strictly");
  });

  t.test("brackets blocks, calls tools between them and sums up usage", async (t) => {
    const frames = await engine.turn(
      "blocks",
      '/think first\n/say second\n/usage 10 5 2\n/tool list_files {"path":"."}\n/say third\n/usage 20 6 4',
    );
    const order = frames.map(({ event, data }) =>
      event.startsWith("content_block") ? `${event} ${data.block_index} ${data.block_type}` : event,
    );
    t.strictSame(
      order.filter((entry, index) => entry !== order[index - 1]),
      [
        "thread_lifecycle",
        "content_block_start 0 thinking",
        "thinking_delta",
        "content_block_stop 0 thinking",
        "content_block_start 1 text",
        "text_delta",
        "content_block_stop 1 text",
        "content_block_start 2 tool_use",
        "content_block_stop 2 tool_use",
        "tool_call",
        "usage",
        "tool_result",
        "content_block_start 3 text",
        "text_delta",
        "content_block_stop 3 text",
        "usage",
        "thread_lifecycle",
      ],
    );
    const usages = frames.filter(({ event }) => event === "usage").map(({ data }) => data);
    t.match(usages, [
      { input_tokens: 10, output_tokens: 5, cache_hit_tokens: 2 },
      { input_tokens: 30, output_tokens: 11, cache_hit_tokens: 6 },
    ]);
    const result = frames.find(({ event }) => event === "tool_result");
    const call = frames.find(({ event }) => event === "tool_call");
    t.match(result?.data, { tool: "list_files", tool_call_id: call?.data.tool_call_id, error: null });
  });

  t.test("of a task in flight is refused with 409 before any byte, and leaves the first alone", async (t) => {
    const first = await engine.execute({ task_id: "busy", message: "/slow 60000\n/say late" });
    const started = await first.first("thread_lifecycle");
    const second = await engine.execute({ task_id: "busy", message: "/say other" });
    t.equal(second.status, 409);
    t.match(second.headers["content-type"], /^application\/json/);
    t.match(await second.json(), { error: "TASK_BUSY", details: { turn_id: started.data.turn_id } });
    t.match(await engine.call("/execute/cancel", { body: { task_id: "busy" } }), { body: { cancelled: true } });
    const frames = await first.all();
    t.match(frames.at(-2), { event: "thread_lifecycle", data: { phase: "errored", error: "CANCELLED" } });
    t.match(frames.at(-1), { event: "error", data: { error: "CANCELLED" } });
    t.match(await engine.call("/execute/cancel", { body: { task_id: "busy" } }), { body: { cancelled: false } });
    t.equal(text(await engine.turn("busy", "/say free again")), "free again");
  });

  t.test("can be posted in the very tick the last frame of the one before is seen", async (t) => {
    const statuses = new Map<number, number>();
    const done = Promise.withResolvers<void>();
    const agent = new Agent({ keepAlive: true });
    t.teardown(() => agent.destroy());
    const post = (left: number): void => {
      if (left === 0) return done.resolve();
      const headers = { "x-engine-key": engine.key, "content-type": "application/json" };
      const call = request(`${engine.url}/execute`, { method: "POST", agent, headers }, (response) => {
        const { statusCode = 0 } = response;
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        let seen = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          const before = seen.includes('"phase":"completed"');
          seen += chunk;
          if (!before && seen.includes('"phase":"completed"')) post(left - 1);
        });
        if (statusCode !== 200) post(0);
      });
      call.on("error", done.reject);
      call.end(JSON.stringify({ task_id: `rounds`, message: "/say on" }));
    };
    post(60);
    await done.promise;
    t.strictSame([...statuses], [[200, 60]], "60 times, never a 409");
  });

  t.test("continues its task's conversation, and many tasks run at once", async (t) => {
    await engine.turn("memory", "/say noted, Ada");
    t.match(text(await engine.turn("memory", "what did I say?")), "noted, Ada");
    const turns = await Promise.all(Array.from({ length: 40 }, (_, n) => engine.turn(`many-${n}`, `/say I am ${n}`)));
    t.strictSame(
      turns.map(text),
      turns.map((_, n) => `I am ${n}`),
    );
    for (const frames of turns)
      t.equal(new Set(frames.map(({ data }) => data.turn_id)).size, 1, "nobody else's events");
  });
});

t.test("the end of a failed turn", async (t) => {
  const failing: readonly [string, Record<string, unknown>][] = [
    ["/fail rate-limited 70", { error: "LLM_RATE_LIMITED", details: { retry_after: 70 } }],
    ["/fail provider", { error: "LLM_PROVIDER_ERROR" }],
    ["/say so far\n/fail mid-stream", { error: "LLM_PROVIDER_ERROR" }],
  ];
  for (const [index, [message, error]] of failing.entries()) {
    const frames = await engine.turn(`failing-${index}`, message);
    const [errored, last] = frames.slice(-2);
    t.match(last, { event: "error", data: error });
    t.match(errored, {
      event: "thread_lifecycle",
      data: { phase: "errored", error: error["error"], message: last?.data.message },
    });
    const starts = frames.filter(({ event }) => event === "content_block_start").length;
    t.equal(frames.filter(({ event }) => event === "content_block_stop").length, starts, "every block is closed");
  }
  const limited = await engine.turn("steps", '/tool list_files {"path":"."}\n/tool list_files {}\n/say done', {
    max_steps: 1,
  });
  t.match(limited.at(-1), { event: "error", data: { error: "STEP_LIMIT" } });
  const looping = Array.from({ length: 8 }, () => ['/tool list_files {"path":"."}', "/say again"]).flat();
  t.match((await engine.turn("loop", looping.join("\n"))).at(-1), { event: "error", data: { error: "LOOP_DETECTED" } });
});

t.test("a call that fails before output can be repeated without being said twice", async (t) => {
  await engine.turn("again", "/fail provider");
  await engine.turn("again", "/fail provider");
  const store = new DatabaseSync(join(engine.dataDir, "engine.db"), { readOnly: true });
  t.teardown(() => store.close());
  const said = () => store.prepare("select content from messages where task_id = 'again'").all();
  t.equal(said().length, 1, "a repeated message is stored once");
  await engine.turn("again", "/say other words");
  t.equal(said().length, 3, "other words are a message of their own");
});

t.test("invalid requests", async (t) => {
  const wrong: readonly [string, Record<string, unknown>, number, string][] = [
    ["/execute", { body: { task_id: "x" } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: "x" } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: "", task_id: "x" } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: " \n\t\u2003", task_id: "x" } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: "x", task_id: "y".repeat(257) } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: "x", task_id: "y", on_disconnect: "explode" } }, 400, "INVALID_REQUEST"],
    ["/execute", { body: "{not json", method: "POST" }, 400, "INVALID_REQUEST"],
    ["/execute", { body: "[]", method: "POST" }, 400, "INVALID_REQUEST"],
    ["/execute", { body: { message: "x".repeat(30 * 1024 * 1024), task_id: "x" } }, 413, "PAYLOAD_TOO_LARGE"],
    ["/execute", { body: { message: "x", task_id: "y", agent: "nobody" } }, 404, "NOT_FOUND"],
    ["/execute", { method: "GET" }, 405, "METHOD_NOT_ALLOWED"],
    ["/health", { method: "POST" }, 405, "METHOD_NOT_ALLOWED"],
    ["/nothing", {}, 404, "NOT_FOUND"],
    ["/hitl/respond", { body: { request_id: "hitl-unknown", answer: "x" } }, 404, "HITL_NOT_FOUND"],
    ["/hitl/respond", { body: { request_id: "unknown", answer: "x" } }, 400, "INVALID_REQUEST"],
    ["/execute/replay?after=yesterday", {}, 400, "INVALID_REQUEST"],
    ["/execute/replay?limit=0", {}, 400, "INVALID_REQUEST"],
    ["/control/status", {}, 404, "NOT_FOUND"],
  ];
  for (const [path, call, status, error] of wrong) {
    const answer = await engine.call(path, call);
    const which = `${path} ${JSON.stringify(call).slice(0, 80)}`;
    t.equal(answer.status, status, `${which} gets ${status}`);
    t.match(answer.body, { error, message: String }, `${which} says ${error}`);
    if (status === 405) t.type(answer.headers["allow"], "string");
  }
  const message = "message: required, expected a string of 1 byte to 1 MiB of UTF-8";
  const empty = await engine.call("/execute", { method: "POST" });
  t.match(empty, { status: 400, body: { message: `body: empty, expected a JSON object; ${message}` } });
  t.match(await engine.call("/execute", { body: {} }), { status: 400, body: { message } });
  t.match(await engine.call("/hitl/respond", { body: { answer: "x" } }), {
    body: { message: "request_id: required, expected an id with the prefix hitl-" },
  });
  const ignored = await engine.execute({ task_id: "more", message: "/say hi", colour: "red" });
  t.equal(ignored.headers["x-ignored-fields"], "colour");
  t.equal(text(await ignored.all()), "hi");
});

t.test("an Idempotency-Key takes a repeated call back to its turn", async (t) => {
  const headers = { "idempotency-key": "k1" };
  const body = { task_id: "once", message: "/stream 5 50" };
  const first = await engine.execute(body, { headers });
  await first.first("text_delta");
  const again = await engine.execute(body, { headers });
  t.equal(again.headers["x-turn-id"], first.headers["x-turn-id"]);
  const frames = await first.all();
  const repeated = await again.all();
  t.equal(text(repeated), text(frames));
  t.same(repeated.at(-1), frames.at(-1));
  const other = await engine.execute({ ...body, message: "/say other" }, { headers });
  t.equal(other.status, 409);
  t.match(await other.json(), { error: "IDEMPOTENCY_CONFLICT" });
});
