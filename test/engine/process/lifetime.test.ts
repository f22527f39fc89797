import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { type TestEngine, launchEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const events = async (engine: TestEngine, task: string) =>
  (await engine.call(`/execute/replay?task_id=${task}`)).body.events;

t.test("an engine killed in its turns locks no task, and goes on counting", async (t) => {
  const dataDir = t.testdir();
  const first = await startEngine(t, { dataDir });
  const middle = await first.execute({ task_id: "middle", message: "/say begun\n/slow 60000" });
  await middle.first("text_delta");
  const asked = await first.execute({
    task_id: "asked",
    message: '/tool list_files {"path":"."}\n/ask Well? | yes | no',
  });
  const { data: question } = await asked.first("hitl_request");
  const { seq, ts } = question;
  await first.stop("SIGKILL");

  const second = await startEngine(t, { dataDir, key: first.key });
  for (const task of ["middle", "asked"]) {
    const told = await until("the turn is closed", async () => {
      const all = await events(second, task);
      return all.at(-1)?.event === "error" ? all : null;
    });
    t.match(told.at(-2), { event: "thread_lifecycle", data: { phase: "errored", error: "ENGINE_RESTARTED" } });
    t.match(told.at(-1), { event: "error", data: { error: "ENGINE_RESTARTED" } });
    t.ok(told.at(-1).data.seq > seq && told.at(-1).data.ts > ts, "stamps rise over the restart");
    const calls = told.filter(({ event }: { event: string }) => event === "tool_call").length;
    t.equal(told.filter(({ event }: { event: string }) => event === "tool_result").length, calls);
    t.match((await second.turn(task, "/say back")).at(-1)?.data, { phase: "completed" }, "the task is free");
  }
  t.match(await second.call("/hitl/respond", { body: { request_id: question.request_id, answer: "yes" } }), {
    status: 409,
    body: { error: "HITL_ALREADY_ANSWERED" },
  });
  const store = new DatabaseSync(join(dataDir, "engine.db"), { readOnly: true });
  t.teardown(() => store.close());
  const roles = store.prepare("select role, content from messages where task_id = 'asked' order by id").all();
  t.strictSame(
    roles.map(({ role }) => role),
    ["user", "assistant", "tool", "user", "assistant"],
  );
  const results = JSON.parse(String(roles[2]?.["content"]));
  t.match(results, [
    { tool: "list_files", isError: false },
    { tool: "ask_human", isError: true, output: /unknown/ },
  ]);
});

t.test("SIGTERM lets a short turn end, refuses new ones, and exits with 0", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "short", message: "/slow 400\n/say done" });
  await stream.first("thread_lifecycle");
  const exited = once(engine.process, "exit");
  engine.process.kill("SIGTERM");
  const end = (await stream.all()).at(-1)?.data;
  t.equal(end.phase, "completed");
  t.strictSame(await exited, [0, null]);
});

t.test("SIGTERM before anything was asked exits with 0 as well", async (t) => {
  const engine = await startEngine(t);
  t.equal(await engine.stop(), 0);
});

t.test("what stops a start is told in plain words", async (t) => {
  const exitOf = async (options: Parameters<typeof launchEngine>[1]) => {
    const { process, output } = await launchEngine(t, options);
    const [code] = await once(process, "exit");
    return { code, output: output() };
  };

  t.test("a port in use", async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    t.match(await exitOf({ port, dataDir: t.testdir() }), { code: 75, output: new RegExp(`port ${port} is in use`) });
  });

  t.test("every bad setting, by its name", async (t) => {
    const settings = {
      ENGINE_LOG_LEVEL: "LOUD",
      LLM_PROVIDER: "oracle",
      REACTIVE_COMPACT_ENABLED: "yes",
      ORCH_CODE_MAX_TOOL_USE_CONCURRENCY: "0",
    };
    const { code, output } = await exitOf({ settings, dataDir: t.testdir() });
    t.equal(code, 78);
    for (const name of Object.keys(settings)) t.match(output, new RegExp(`${name}: expected`));
  });

  t.test("a store that is damaged", async (t) => {
    const dataDir = t.testdir({ "engine.db": "no database ".repeat(1000) });
    t.match(await exitOf({ dataDir }), {
      code: 75,
      output: /^the engine cannot start: .*engine\.db cannot be used: .*not a database\n$/,
    });
  });

  t.test("another engine on the same data", async (t) => {
    const dataDir = t.testdir();
    const engine = await startEngine(t, { dataDir });
    t.match(await exitOf({ dataDir }), { code: 75, output: /another engine/ });
    t.match((await engine.turn("alive", "/say alive")).at(-1)?.data, { phase: "completed" });
  });
});

t.test("SIGTERM does not wait for a person: the turn ends as errored, its question and call are closed", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "asking", message: "/ask Well? | yes" });
  await stream.first("hitl_request");
  const exited = once(engine.process, "exit");
  engine.process.kill("SIGTERM");
  const frames = await stream.all();
  t.strictSame(
    frames.slice(-4).map(({ event }) => event),
    ["hitl_resolved", "tool_result", "thread_lifecycle", "error"],
  );
  t.match(frames.at(-1)?.data, { error: "ENGINE_RESTARTED" });
  t.strictSame(await exited, [0, null]);
});
