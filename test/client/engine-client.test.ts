import t, { type Test } from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import type { Retry } from "../../src/client/http-call.ts";
import type { ClientLimits } from "../../src/client/limits.ts";
import { type FakeAnswer, type FakeServer, startFakeServer } from "../helpers/fake-server.ts";
import { until } from "../helpers/until.ts";
import { COMPLETED, QUICK, STARTED, type Sent, failed, frames, open, readAll, text } from "./wire.ts";

const MESSAGE = { message: "hi", taskId: "t" };

async function withServer(t: Test, limits: Partial<ClientLimits> = {}) {
  const server = await startFakeServer(t);
  return { server, client: createEngineClient({ url: server.url, key: "k", limits: { ...QUICK, ...limits } }) };
}

const posts = (server: FakeServer) => server.calls.filter(({ path }) => path === "/execute");
const keys = (server: FakeServer) => posts(server).map(({ headers }) => headers["idempotency-key"]);
const question: Sent = [
  "hitl_request",
  { request_id: "hitl-1", kind: "question", question: "Short?", context: {}, options: ["yes", "no"] },
];

/** Answers each `POST /execute` by the next of these, the last one for good. */
function answering(server: FakeServer, answers: readonly (FakeAnswer | readonly Sent[])[]): void {
  let next = 0;
  server.on("POST /execute", (_call, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    if (answer !== undefined && "body" in answer) return answer;
    open(response, { "x-turn-id": `turn_${next}` });
    response.end(frames(answer as readonly Sent[], { firstSeq: next * 100, turnId: `turn_${next}` }));
    return undefined;
  });
}

t.test("a turn's call carries what was wished, the key, and a name for being repeated", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [[STARTED, text("a"), text("b"), COMPLETED]]);
  const wish = { agent: "planner", thinking: true, maxSteps: 3, onDisconnect: "cancel", metadata: { a: 1 } } as const;
  t.equal(await client.execute({ ...MESSAGE, ...wish }).text(), "ab");
  const [call] = posts(server);
  t.same(call?.body, {
    message: "hi",
    task_id: "t",
    agent: "planner",
    thinking: true,
    max_steps: 3,
    on_disconnect: "cancel",
    metadata: { a: 1 },
  });
  t.match(call?.headers, { "x-engine-key": "k", accept: "text/event-stream", "idempotency-key": /^[0-9a-f]{32}$/ });
  await client.execute({ ...MESSAGE, idempotencyKey: "mine" }).text();
  t.equal(keys(server)[1], "mine");
});

t.test("a turn comes to its text, thinking, usage and names", async (t) => {
  const { server, client } = await withServer(t);
  const usage = (input: number) => ({ input_tokens: input, output_tokens: 1, cache_hit_tokens: 0 });
  answering(server, [
    [
      STARTED,
      ["thinking_delta", { text: "hm" }],
      text("one "),
      ["usage", usage(5)],
      text("two"),
      ["usage", usage(9)],
      COMPLETED,
    ],
  ]);
  const turn = client.execute(MESSAGE);
  t.equal(turn.turnId, null);
  t.same(await turn.result(), {
    text: "one two",
    thinking: "hm",
    output: null,
    usage: usage(9),
    lastSeq: 106,
    taskId: "t",
    turnId: "turn_1",
  });
  t.same(await turn.result(), await turn.result(), "however often it is asked for");
  t.equal(posts(server).length, 1);
});

t.test("an answer that a restart cut off and that is given anew counts once", async (t) => {
  const { server, client } = await withServer(t);
  const block = (index: number, type: string, more = {}): Sent => [
    "content_block_start",
    { block_index: index, block_type: type, ...more },
  ];
  const half: readonly Sent[] = [block(1, "thinking"), ["thinking_delta", { text: "h" }], block(2, "text"), text("ha")];
  const anew: readonly Sent[] = [block(1, "text", { replaces_from: 1 }), text("half")];
  answering(server, [[STARTED, block(0, "text"), text("whole, "), ...half, ...anew, COMPLETED]]);
  t.match(await client.execute(MESSAGE).result(), { text: "whole, \n\nhalf", thinking: "" });
});

t.test("the result may be asked for beside the loop that reads the events, and after it", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [[STARTED, text("a"), COMPLETED]]);
  const turn = client.execute(MESSAGE);
  const seen: string[] = [];
  let beside: Promise<string> | undefined;
  for await (const { event } of turn) {
    seen.push(event);
    beside ??= turn.text();
  }
  t.same(seen, ["thread_lifecycle", "text_delta", "thread_lifecycle"]);
  t.equal(await beside, "a");
  t.equal(await turn.text(), "a");
  const left = client.execute(MESSAGE);
  for await (const _ of left) break;
  await t.rejects(left.result(), { code: "STREAM_LEFT" });
});

t.test("a turn that failed gives its error as its last event, and throws it as its result", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [[STARTED, text("half"), ...failed("STEP_LIMIT", { steps: 100 })]]);
  const turn = client.execute(MESSAGE);
  const { events, error } = await readAll(turn);
  t.equal(error, null);
  t.same(
    events.map(({ event }) => event),
    ["thread_lifecycle", "text_delta", "thread_lifecycle", "error"],
  );
  await t.rejects(turn.text(), {
    name: "OrchdError",
    code: "STEP_LIMIT",
    status: null,
    message: "it failed",
    details: { steps: 100 },
  });
});

t.test("refusals are thrown with code, status and details", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [
    { status: 400, body: { error: "INVALID_REQUEST", message: "message: too long", details: { at: 1 } } },
  ]);
  await t.rejects(client.execute(MESSAGE).text(), {
    code: "INVALID_REQUEST",
    status: 400,
    message: "message: too long",
    details: { at: 1 },
  });
  t.equal(posts(server).length, 1);
});

t.test("a busy task, a draining engine and a rate limit are retried and reported", async (t) => {
  const { server, client } = await withServer(t);
  const told: Retry[] = [];
  answering(server, [
    { status: 409, body: { error: "TASK_BUSY", message: "busy", details: { turn_id: "turn_9" } } },
    { status: 503, headers: { "retry-after": "0" }, body: { error: "ENGINE_DRAINING", message: "draining" } },
    { status: 429, body: { error: "LLM_RATE_LIMITED", message: "slow down", details: { retry_after: 0.05 } } },
    { status: 502, body: { error: "LLM_PROVIDER_ERROR", message: "bad" } },
    [STARTED, text("a"), COMPLETED],
  ]);
  // The one that is tried once only would be the fourth.
  await t.rejects(client.execute({ ...MESSAGE, onRetry: (retry) => told.push(retry) }).text(), {
    code: "LLM_PROVIDER_ERROR",
  });
  t.same(
    told.map(({ kind, error, tries }) => [kind, error.code, tries]),
    [
      ["call", "TASK_BUSY", 1],
      ["call", "ENGINE_DRAINING", 2],
      ["call", "LLM_RATE_LIMITED", 3],
    ],
  );
  t.ok((told[2]?.waitMs ?? 0) >= 50, "the provider's wait is the least");
  t.equal(new Set(keys(server)).size, 1, "nothing had begun");
});

t.test("a provider's failure is tried again once", async (t) => {
  const { server, client } = await withServer(t);
  const bad = { status: 502, body: { error: "LLM_PROVIDER_ERROR", message: "bad" } };
  answering(server, [bad, [STARTED, text("a"), COMPLETED]]);
  t.equal(await client.execute(MESSAGE).text(), "a");
  answering(server, [bad]);
  await t.rejects(client.execute(MESSAGE).text(), { code: "LLM_PROVIDER_ERROR" });
  t.equal(posts(server).length, 4);
});

t.test("a busy task need not be waited for", async (t) => {
  const { server, client } = await withServer(t, { retryBusy: false });
  answering(server, [{ status: 409, body: { error: "TASK_BUSY", message: "busy", details: { turn_id: "turn_9" } } }]);
  await t.rejects(client.execute(MESSAGE).text(), { code: "TASK_BUSY", status: 409, details: { turn_id: "turn_9" } });
  t.equal(posts(server).length, 1);
});

t.test("a turn that a rate limit stopped before it said anything is begun anew, out of sight", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [
    [STARTED, ...failed("LLM_RATE_LIMITED")],
    [STARTED, ...failed("LLM_RATE_LIMITED", { retry_after: 0.05 })],
    [STARTED, text("a"), COMPLETED],
  ]);
  const waits: number[] = [];
  const turn = client.execute({ ...MESSAGE, idempotencyKey: "mine", onRetry: ({ waitMs }) => waits.push(waitMs) });
  const { events } = await readAll(turn);
  t.same(
    events.map(({ event, data }) => ("phase" in data ? `${event} ${String(data.phase)}` : event)),
    [...Array<string>(3).fill("thread_lifecycle started"), "text_delta", "thread_lifecycle completed"],
  );
  t.match(await turn.result(), { text: "a", turnId: "turn_3" });
  t.same(keys(server), ["mine", "mine~2", "mine~3"], "another turn has another name");
  t.ok((waits[1] ?? 0) >= 50);
});

t.test("after five more tries a rate limit is the caller's; one after output is so at once", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, [[STARTED, ...failed("LLM_RATE_LIMITED")]]);
  const { events } = await readAll(client.execute(MESSAGE));
  t.equal(events.at(-1)?.event, "error");
  t.equal(posts(server).length, 6);
  server.calls.length = 0;
  answering(server, [[STARTED, text("half"), ...failed("LLM_RATE_LIMITED")]]);
  await t.rejects(client.execute(MESSAGE).text(), { code: "LLM_RATE_LIMITED" });
  t.equal(posts(server).length, 1);
});

/** A turn that asks, and ends when it has been answered. */
function asking(server: FakeServer, refusal: Record<string, string> | null = null): void {
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.write(frames([STARTED, question]));
    server.on("POST /hitl/respond", ({ body }) => {
      const resolved: Sent = ["hitl_resolved", { request_id: "hitl-1", answer: "yes" }];
      response.end(frames([resolved, COMPLETED], { firstSeq: 3 }));
      if (refusal !== null) return { status: 409, body: refusal };
      return { body: { request_id: body.request_id, status: "resolved" } };
    });
  });
}

t.test("a person is asked by callback, once the reader has seen the question", async (t) => {
  const { server, client } = await withServer(t);
  asking(server);
  const order: string[] = [];
  const turn = client.execute({
    ...MESSAGE,
    onHuman: async ({ question, options }) => {
      order.push(`asked ${question}`);
      return options[0];
    },
  });
  for await (const { event } of turn) order.push(event);
  t.same(order, ["thread_lifecycle", "hitl_request", "asked Short?", "hitl_resolved", "thread_lifecycle"]);
  t.same(server.calls.at(-1)?.body, { request_id: "hitl-1", answer: "yes" });
});

t.test("an answer from elsewhere ends the asking, and one too late is no failure", async (t) => {
  const { server, client } = await withServer(t);
  asking(server, { error: "HITL_ALREADY_ANSWERED", message: "answered otherwise" });
  await client.execute({ ...MESSAGE, onHuman: () => "no" }).result();
  asking(server);
  let told = false;
  const turn = client.execute({
    ...MESSAGE,
    onHuman: (_request, { signal }) => {
      void client.respond("hitl-1", "yes");
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          told = true;
          resolve(undefined);
        });
      });
    },
  });
  await turn.result();
  t.ok(told);
});

t.test("who cannot be asked ends the reading with the reason", async (t) => {
  const { server, client } = await withServer(t);
  asking(server);
  const reason = new Error("nobody is there");
  await t.rejects(client.execute({ ...MESSAGE, onHuman: () => Promise.reject(reason) }).result(), reason);
});

t.test("what was answered before the connection was lost is not asked again", async (t) => {
  const { server, client } = await withServer(t);
  const asked: string[] = [];
  const onHuman = ({ request_id: id }: { request_id: string }) => {
    asked.push(id);
    return "yes";
  };
  server.on("GET /execute/replay", (_call, response) => {
    open(response);
    response.write(frames([question, ["hitl_resolved", { request_id: "hitl-1", answer: "no" }]], { firstSeq: 2 }));
    const second = { ...question[1], request_id: "hitl-2" };
    response.write(frames([["hitl_request", second]], { firstSeq: 4 }));
    server.on("POST /hitl/respond", ({ body }) => {
      response.end(frames([["hitl_resolved", { request_id: "hitl-2", answer: "yes" }], COMPLETED], { firstSeq: 5 }));
      return { body: { request_id: body.request_id, status: "resolved" } };
    });
  });
  server.on("GET /hitl/pending", { body: { requests: [{ ...question[1], request_id: "hitl-2" }] } });
  await client.resume({ taskId: "t", turnId: "turn_1", onHuman }).result();
  t.same(asked, ["hitl-2"]);
});

t.test("leaving the events closes the connection and leaves the turn", async (t) => {
  const { server, client } = await withServer(t);
  let closed = false;
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.write(frames([STARTED]));
    response.on("close", () => (closed = true));
  });
  for await (const _ of client.execute(MESSAGE)) break;
  await until("the connection is closed", () => closed);
  t.equal(server.calls.length, 1, "and nothing is cancelled");
});
