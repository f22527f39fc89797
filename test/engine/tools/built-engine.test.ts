import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { readStat, sendSignal, startVariable } from "../../../src/sandbox/processes/process-table.ts";
import { type SseStream, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const call = (tool: string, input: object) => `/tool ${tool} ${JSON.stringify(input)}`;
const command = (command: string) => call("run_command", { command });

async function allow(engine: TestEngine, stream: SseStream, answer = "allow_once", fits?: (data: object) => boolean) {
  const { data } = await stream.first("hitl_request", fits);
  await engine.call("/hitl/respond", { body: { request_id: data.request_id, answer } });
  return data;
}

const result = (stream: SseStream, tool: string) => stream.first("tool_result", (data) => data.tool === tool);

/** Three that stay: in the background, in a session of its own, forked twice. They write down who they are. */
const FAMILY = `sleep 300 & echo $! >> pids
setsid sh -c 'echo $$ >> pids; exec sleep 300' &
(setsid sh -c '(sleep 300 & echo $! >> pids) & exit 0' > /dev/null 2>&1 &)
wait`
  .replaceAll("\n", "; ")
  .replaceAll("&;", "&");

function family(t: Test, dataDir: string) {
  const file = join(dataDir, "workspace", "pids");
  let pids: readonly number[] = [];
  // Remembered: by the time of the teardown the folder may be gone.
  t.teardown(() => pids.forEach((pid) => sendSignal(pid, "SIGKILL")));
  return {
    complete: () =>
      until("all of them run", () => {
        pids = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
        return pids.length === 3 ? pids : null;
      }),
    living: () => pids.filter((pid) => readStat(pid) !== null),
  };
}

t.test("a command asks for permission and runs without the engine's environment", async (t) => {
  const settings = { LLM_PROVIDER: "sandbox", LLM_API_KEY: "sk-very-secret", LLM_MODEL: "sandbox" };
  const engine = await startEngine(t, { settings });
  const stream = await engine.execute({
    task_id: "c",
    message: `${command("env; cat a.txt; echo bad >&2; exit 4")}\n/say done`,
  });
  writeFileSync(join(engine.dataDir, "workspace", "a.txt"), "hello\n");
  const asked = await allow(engine, stream);
  t.match(asked, { kind: "permission", question: /run_command on env; cat a\.txt/, context: { tool: "run_command" } });
  const { data } = await result(stream, "run_command");
  t.match(data, { error: null, output: { exit_code: 4, output: /hello\nbad\n$/ } });
  t.notMatch(data.output.output, /sk-very-secret|^(LLM|ENGINE)_/m);
  t.same(data.output.output.match(/^ORCH_\w+/gm), ["ORCH_LAUNCH_FILE"]);
  t.notMatch(data.output.output, new RegExp(engine.key));
  await stream.all();
});

t.test("allow_task covers one command line, and the model sees a denial", async (t) => {
  const engine = await startEngine(t);
  const first = await engine.execute({ task_id: "t", message: command("echo one >> log") });
  await allow(engine, first, "allow_task");
  await first.all();
  const again = await (await engine.execute({ task_id: "t", message: command("echo one >> log") })).all();
  t.equal(again.filter(({ event }) => event === "hitl_request").length, 0);
  t.equal(readFileSync(join(engine.dataDir, "workspace", "log"), "utf8"), "one\none\n");
  const other = await engine.execute({ task_id: "t", message: command("echo one >> log; echo two >> log") });
  await allow(engine, other, "deny");
  t.match((await result(other, "run_command")).data, { output: null, error: /denied/ });
  t.equal(readFileSync(join(engine.dataDir, "workspace", "log"), "utf8"), "one\none\n");
});

t.test("a cancelled turn ends when all that its command started is gone", async (t) => {
  const engine = await startEngine(t);
  const { complete, living } = family(t, engine.dataDir);
  const stream = await engine.execute({ task_id: "c", message: command(FAMILY) });
  await allow(engine, stream);
  await complete();
  t.equal(living().length, 3);
  t.match((await engine.call("/execute/cancel", { body: { task_id: "c" } })).body, { cancelled: true });
  t.match((await stream.all()).at(-1), { event: "error", data: { error: "CANCELLED" } });
  t.same(living(), []);
});

t.test("an engine that stops takes what its commands started with it", async (t) => {
  const engine = await startEngine(t);
  const { complete, living } = family(t, engine.dataDir);
  const stream = await engine.execute({ task_id: "c", message: command(FAMILY) });
  await allow(engine, stream);
  await complete();
  t.equal(await engine.stop(), 0);
  t.same(living(), []);
});

t.test("processes of a killed engine are found by its launch file", async (t) => {
  const engine = await startEngine(t);
  const { complete } = family(t, engine.dataDir);
  const stream = await engine.execute({ task_id: "c", message: command(FAMILY) });
  await allow(engine, stream);
  const pids = await complete();
  await engine.stop("SIGKILL");
  const mark = startVariable(pids[0] ?? 0, "ORCH_LAUNCH_FILE");
  t.match(mark, engine.launch.incarnation);
  t.same(
    pids.map((pid) => startVariable(pid, "ORCH_LAUNCH_FILE")),
    [mark, mark, mark],
  );
});

/** For the cases that do not end it; the last one does. */
const engine = await startEngine(t);

t.test("an exponential pattern does not block the engine", async (t) => {
  mkdirSync(join(engine.dataDir, "workspace"), { recursive: true });
  writeFileSync(join(engine.dataDir, "workspace", "a.txt"), `${"a".repeat(60)}b\n`);
  const stream = await engine.execute({ task_id: "s", message: call("search_files", { pattern: "^(a+)+$" }) });
  await stream.first("tool_call");
  const turn = await engine.turn("other", "/say meanwhile");
  t.match(turn.at(-1)?.data, { phase: "completed" });
  t.equal(
    stream.frames.some(({ event }) => event === "tool_result"),
    false,
    "it was still being tried",
  );
  // That it ends by itself is tested in test/engine/tools/search/search-files.test.ts.
  t.equal((await engine.call("/execute/cancel", { body: { task_id: "s" } })).status, 200);
  t.match((await stream.all()).at(-1), { event: "error", data: { error: "CANCELLED" } });
});

t.test("arguments nested 20,000 deep are an error of the call, and the turn goes on", async (t) => {
  const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const frames = await engine.turn("deep", `/tool current_time {"a":${nested}}`);
  t.match(frames.find(({ event }) => event === "tool_result")?.data, { error: /^invalid arguments: / });
  t.match(frames.at(-1)?.data, { phase: "completed" });
});

t.test(
  "files are edited with leave and searched without, a plan is told, and no inner address is fetched",
  async (t) => {
    mkdirSync(join(engine.dataDir, "workspace"), { recursive: true });
    writeFileSync(join(engine.dataDir, "workspace", "a.txt"), "one\r\ntwo\r\n");
    const message = [
      call("edit_file", { path: "a.txt", old_text: "one\ntwo", new_text: "1\n2" }),
      call("search_files", { pattern: "^[12]$" }),
      call("fetch_url", { url: `${engine.url}/health` }),
      call("fetch_url", { url: "http://169.254.169.254/latest/meta-data/" }),
      call("plan", { items: [{ text: "look", status: "in_progress" }] }),
    ].join("\n");
    const stream = await engine.execute({ task_id: "f", message });
    await allow(engine, stream);
    const frames = await stream.all();
    const results = frames.filter(({ event }) => event === "tool_result").map(({ data }) => data);
    t.match(
      results.find(({ tool }) => tool === "edit_file"),
      { error: null, output: { replaced: 1 } },
    );
    t.match(
      results.find(({ tool }) => tool === "search_files"),
      { output: { found: "a.txt:1: 1\na.txt:2: 2" } },
      "the search waited for the edit",
    );
    const fetched = results.filter(({ tool }) => tool === "fetch_url");
    t.equal(fetched.length, 2);
    for (const { output, error } of fetched) t.match([output, error], [null, /refused: it is not on the public/]);
    t.match(frames.find(({ event }) => event === "working_memory_update")?.data, {
      entry_type: "summary",
      content: "Plan:\n1. [>] look",
    });
    await engine.stop();
    const later = await startEngine(t, { dataDir: engine.dataDir });
    const shown = await later.turn("f", call("plan", {}));
    t.match(shown.find(({ event }) => event === "tool_result")?.data, { output: { plan: ["1. [>] look"] } });
  },
);
