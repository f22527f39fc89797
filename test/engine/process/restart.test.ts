import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const respond = (engine: TestEngine, requestId: string, answer: string) =>
  engine.call("/hitl/respond", { body: { request_id: requestId, answer } });
const only = (frames: readonly Frame[], event: string) => frames.filter((frame) => frame.event === event);
const text = (frames: readonly Frame[]) =>
  only(frames, "text_delta")
    .map(({ data }) => data.text)
    .join("");

/** The same engine again, as its supervisor starts it. */
const again = (t: Test, engine: TestEngine) => startEngine(t, { dataDir: engine.dataDir, key: engine.key });

/** The whole turn as replay tells it, to its end. */
async function replayed(engine: TestEngine, turnId: string): Promise<readonly Frame[]> {
  const stream = await engine.stream(`/execute/replay?turn_id=${turnId}&follow=true`, {
    headers: { accept: "text/event-stream" },
  });
  return stream.all(60_000);
}

const messagesOf = (engine: TestEngine, task: string) => {
  const store = new DatabaseSync(join(engine.dataDir, "engine.db"), { readOnly: true });
  const rows = store.prepare("select role, content from messages where task_id = ? order by id").all(task);
  store.close();
  return rows.map(({ role, content }) => ({ role: String(role), content: JSON.parse(String(content)) }));
};

/** Blocks open and close in turn, calls have one result each, stamps rise. */
function checkWhole(t: Test, frames: readonly Frame[]): void {
  let open: number | null = null;
  let last = -1;
  const misplaced: unknown[] = [];
  for (const { event, data } of frames) {
    if (event === "content_block_start") {
      if (open !== null || data.block_index <= last) misplaced.push({ event, data, open, last });
      open = last = data.block_index;
    }
    if (event === "content_block_stop") {
      if (data.block_index !== open) misplaced.push({ event, data, open });
      open = null;
    }
  }
  t.same(misplaced, [], "blocks open one at a time, with a rising block_index, and the open block is closed");
  const ids = only(frames, "tool_call").map(({ data }) => data.tool_call_id);
  t.equal(new Set(ids).size, ids.length, "no call's id is told twice");
  const results = only(frames, "tool_result").map(({ data }) => data.tool_call_id);
  t.equal(results.length, ids.length);
  t.strictSame(new Set(results), new Set(ids), "each call has one result");
  t.ok(frames.every(({ data }, index) => index === 0 || data.seq > frames[index - 1]?.data.seq));
  t.equal(only(frames, "thread_lifecycle").length, 2, "one start and one end");
}

t.test("an answer interrupted by kill -9 is repeated in the same turn, and replay returns it", async (t) => {
  const first = await startEngine(t);
  const message = '/say one\n/tool list_files {"path":"."}\n/think hm\n/say two\n/slow 2000\n/say three';
  const stream = await first.execute({ task_id: "cut", message });
  const { turn_id: turnId } = (await stream.first("text_delta", ({ text }) => text.includes("two"))).data;
  await first.stop("SIGKILL");
  const second = await again(t, first);
  const frames = await replayed(second, turnId);
  t.match(frames.at(-1)?.data, { phase: "completed" });
  checkWhole(t, frames);
  t.equal(only(frames, "tool_call").length, 1, "a stored tool call does not run again");
  const starts = only(frames, "content_block_start").map(({ data }) => data);
  const anew = starts.filter((data) => "replaces_from" in data);
  t.match(anew, [{ replaces_from: 2, block_type: "thinking" }], "a client is told from where on the answer is void");
  const kept = starts.filter(({ block_index: index }) => index < 2 || index >= anew[0].block_index);
  t.strictSame(
    kept.map(({ block_type: type }) => type),
    ["text", "tool_use", "thinking", "text", "text"],
  );
  const answers = messagesOf(second, "cut").filter(({ role }) => role === "assistant");
  t.match(answers.at(-1)?.content, [{ kind: "thinking" }, { text: "two" }, { text: "three" }], "the model has it once");
  t.equal(answers.length, 2);
  t.match((await second.turn("cut", "/say next")).at(-1)?.data, { phase: "completed" });
});

t.test("a command running at kill -9 is not run again, and its tool result says so", async (t) => {
  const first = await startEngine(t);
  const command = "echo ran >> count; sleep 3";
  const message = `/tool run_command ${JSON.stringify({ command })}\n/tool memory_note {"content":"noted"}\n/say done`;
  const stream = await first.execute({ task_id: "command", message });
  const { data } = await stream.first("hitl_request");
  await respond(first, data.request_id, "allow_once");
  const count = join(first.dataDir, "workspace/count");
  await until("the command runs", () => existsSync(count));
  await stream.first("tool_result", ({ tool }) => tool === "memory_note");
  await first.stop("SIGKILL");
  const second = await again(t, first);
  const frames = await replayed(second, data.turn_id);
  checkWhole(t, frames);
  t.match(frames.at(-1)?.data, { phase: "completed" });
  const results = only(frames, "tool_result").map(({ data }) => data);
  t.match(results.find(({ tool }) => tool === "run_command")?.error, /^OUTCOME UNKNOWN/);
  t.equal(results.find(({ tool }) => tool === "memory_note")?.error, null, "a finished call keeps its result");
  t.equal(readFileSync(count, "utf8"), "ran\n");
});

for (const [signal, how] of [
  ["SIGKILL", "killed"],
  ["SIGTERM", "stopped"],
] as const) {
  t.test(
    `questions and permissions outlive an engine that is ${how}, and the turn goes on with the answer`,
    async (t) => {
      const first = await startEngine(t);
      const asked = await first.execute({ task_id: "ask", message: "/ask Which? | left | right\n/say thanks" });
      const { data: question } = await asked.first("hitl_request");
      const write = '/tool write_file {"path":"a.txt","content":"hello"}';
      const wishes = await first.execute({ task_id: "permit", message: `${write}\n/say written` });
      const { data: permission } = await wishes.first("hitl_request");
      await first.stop(signal);
      t.equal(first.process.exitCode, signal === "SIGTERM" ? 0 : null);
      t.notOk([...asked.frames, ...wishes.frames].some(({ event }) => event === "error" || event === "hitl_resolved"));

      const second = await again(t, first);
      const { requests } = (await second.call("/hitl/pending")).body;
      t.match(requests, [{ request_id: question.request_id }, { request_id: permission.request_id }]);
      t.match(
        (await second.execute({ task_id: "ask", message: "/say now" })).status,
        409,
        "the task is still in its turn",
      );
      t.equal((await respond(second, question.request_id, "left")).status, 200);
      t.equal((await respond(second, permission.request_id, "allow_once")).status, 200);
      const answered = await replayed(second, question.turn_id);
      checkWhole(t, answered);
      t.equal(only(answered, "hitl_request").length, 1, "it is asked once");
      t.match(only(answered, "tool_result")[0]?.data, { output: { answer: "left" }, error: null });
      t.equal(text(answered), "thanks");
      t.match(only(await replayed(second, permission.turn_id), "tool_result")[0]?.data, { error: null });
      t.equal(readFileSync(join(first.dataDir, "workspace/a.txt"), "utf8"), "hello");
    },
  );
}

t.test("SIGTERM parks a turn at its next step, and it resumes at the next start", async (t) => {
  const first = await startEngine(t);
  const message = '/slow 500\n/say one\n/tool list_files {"path":"."}\n/say two';
  const stream = await first.execute({ task_id: "parked", message });
  const { turn_id: turnId } = (await stream.first("thread_lifecycle")).data;
  const exited = once(first.process, "exit");
  first.process.kill("SIGTERM");
  t.strictSame(await exited, [0, null]);
  t.strictSame(
    stream.frames.slice(-2).map(({ event }) => event),
    ["tool_call", "usage"],
    "the answer that was on its way came to its end, and no call began",
  );
  const second = await again(t, first);
  const frames = await replayed(second, turnId);
  checkWhole(t, frames);
  t.equal(text(frames), "onetwo");
  t.equal(only(frames, "usage").length, 2, "the model was asked for each answer once");
});

t.test("SIGTERM parks a turn in a long step, and it resumes at the next start", async (t) => {
  const first = await startEngine(t);
  const stream = await first.execute({ task_id: "long", message: "/say begun\n/slow 7000\n/say ended" });
  const { turn_id: turnId } = (await stream.first("text_delta")).data;
  t.equal(await first.stop(), 0);
  t.notOk(stream.frames.some(({ event }) => event === "error"));
  const second = await again(t, first);
  const frames = await replayed(second, turnId);
  checkWhole(t, frames);
  t.match(frames.at(-1)?.data, { phase: "completed" });
});

t.test("a turn without progress over repeated restarts is ended", async (t) => {
  let engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "poison", message: "/fail silent" });
  const { turn_id: turnId } = (await stream.first("thread_lifecycle")).data;
  for (let kills = 0; kills < 4; kills++) {
    t.equal((await engine.call("/execute", { body: { task_id: "poison", message: "x" } })).status, 409);
    await engine.stop("SIGKILL");
    engine = await again(t, engine);
  }
  const frames = await replayed(engine, turnId);
  t.match(frames.at(-1), { event: "error", data: { error: "ENGINE_RESTARTED" } });
  t.match((await engine.turn("poison", "/say back")).at(-1)?.data, { phase: "completed" }, "the task is free");
});

t.test("a turn with on_disconnect cancel is not resumed after a restart", async (t) => {
  const first = await startEngine(t);
  const body = { task_id: "bound", message: "/ask Well? | yes", on_disconnect: "cancel" };
  const { data } = await (await first.execute(body)).first("hitl_request");
  await first.stop("SIGKILL");
  const second = await again(t, first);
  const frames = await replayed(second, data.turn_id);
  t.strictSame(
    frames.slice(-4).map(({ event }) => event),
    ["hitl_resolved", "tool_result", "thread_lifecycle", "error"],
  );
  t.match(frames.at(-1)?.data, { error: "ENGINE_RESTARTED" });
  t.match(await respond(second, data.request_id, "yes"), { status: 409, body: { error: "HITL_ALREADY_ANSWERED" } });
});

t.test("a draining engine does not count turns that wait for a human", async (t) => {
  const engine = await startEngine(t);
  const asking = await engine.execute({ task_id: "asking", message: "/ask Well? | yes\n/say so" });
  const { data } = await asking.first("hitl_request");
  const busy = await engine.execute({ task_id: "busy", message: "/slow 1000\n/say done" });
  await busy.first("thread_lifecycle");
  t.match((await engine.control("/control/status")).body, { active_turns: 2, draining: false });
  const drained = await engine.control("/control/drain", { method: "POST" });
  t.match(drained.body, { active_turns: 1, pending_hitl: 1, draining: true });
  t.match((await busy.all()).at(-1)?.data, { phase: "completed" }, "the busy turn completes");
  t.match((await engine.control("/control/status")).body, { active_turns: 0, pending_hitl: 1 });
  await respond(engine, data.request_id, "yes");
  t.match((await asking.all()).at(-1)?.data, { phase: "completed" }, "the turn that gets its answer completes");
});
