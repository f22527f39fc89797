import { existsSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { HookAnswer, HookedCall } from "../../../src/contract/engine/tool-hook.ts";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const HOOK = { tools: ["write_file", "run_command"], timeout_ms: 5000, on_error: "deny" } as const;
const RUN = { message: '/tool run_command {"command":"echo once >> runs.txt; sleep 0.1"}\n/say done' };

const hooked = (t: Test, dataDir?: string) =>
  startEngine(t, { ...(dataDir !== undefined && { dataDir }), policy: { tool_hook: HOOK } });

const asked = async (engine: TestEngine): Promise<HookedCall> =>
  until(
    "the product is asked",
    async () => (await engine.control("/control/hooks?wait_ms=1000")).body.calls[0] as HookedCall | undefined,
  );

const answer = async (engine: TestEngine, { turn_id, tool_call_id, attempt }: HookedCall, given: HookAnswer) =>
  (await engine.control("/control/hooks", { body: { turn_id, tool_call_id, attempt, answer: given } })).body;

/** The events of a turn that has ended. */
const ended = (engine: TestEngine, turnId: string) =>
  until("the turn is over", async () => {
    const path = `/execute/replay?after=0&turn_id=${turnId}&events=hook`;
    const { events } = (await engine.call(path)).body as { events: readonly Frame[] };
    const isOver = events.some(({ event, data }) => event === "thread_lifecycle" && data.phase === "completed");
    return isOver ? events : null;
  });
const of = (events: readonly Frame[], type: string) =>
  events.filter(({ event }) => event === type).map(({ data }) => data);

t.test(
  "an engine killed while the product is asked asks again, and takes no answer to the attempt before",
  async (t) => {
    const first = await hooked(t);
    await first.execute({ task_id: "task", ...RUN });
    const before = await asked(first);
    await first.stop("SIGKILL");
    const second = await hooked(t, first.dataDir);
    const again = await asked(second);
    t.match(again, { attempt: 2, turn_id: before.turn_id, tool_call_id: before.tool_call_id });
    t.same(await answer(second, before, { verdict: "allow" }), { counts: false });
    t.same(await answer(second, again, { verdict: "deny", reason: "not today" }), { counts: true });
    const events = await ended(second, before.turn_id);
    t.match(of(events, "tool_result"), [{ error: "the product denied this call: not today" }]);
    t.notOk(existsSync(join(first.dataDir, "workspace/runs.txt")));
    const { items } = (await second.call("/tasks/task/messages")).body;
    t.match(
      items[1].parts.find(({ type }: { type: string }) => type === "tool"),
      { status: "failed", hook: { verdict: "deny", reason: "not today", input: null } },
    );
  },
);

t.test("a decision holds for an engine killed after it: the product is not asked again", async (t) => {
  const first = await hooked(t);
  await first.execute({
    task_id: "task",
    message: '/tool write_file {"path":"a.txt","content":"as asked"}\n/say done',
  });
  const call = await asked(first);
  const changed = { path: "a.txt", content: "as changed" };
  t.same(await answer(first, call, { verdict: "change", input: changed }), { counts: true });
  const { body } = await until("a person is asked", async () => {
    const pending = await first.call("/hitl/pending");
    return pending.body.requests.length > 0 ? pending : null;
  });
  t.match(body.requests[0].context, { input: JSON.stringify(changed) });
  await first.stop("SIGKILL");
  const second = await hooked(t, first.dataDir);
  await second.call("/hitl/respond", { body: { request_id: body.requests[0].request_id, answer: "allow_once" } });
  const events = await ended(second, call.turn_id);
  t.same((await second.control("/control/hooks")).body, { calls: [] });
  t.equal(of(events, "tool_verdict").length, 1, "told once");
  t.match(of(events, "tool_call"), [{ input: { content: "as asked" } }]);
  t.match(of(events, "tool_result"), [{ error: null }]);
  const { items } = (await second.call("/tasks/task/messages")).body;
  t.match(
    items[1].parts.find(({ type }: { type: string }) => type === "tool"),
    { input: { content: "as asked" }, hook: { verdict: "change", input: changed } },
  );
});

t.test("an engine killed after the call began does not run it again, whatever the product said", async (t) => {
  const first = await hooked(t);
  await first.execute({ task_id: "task", ...RUN });
  const call = await asked(first);
  await answer(first, call, { verdict: "allow" });
  const request = await until("a person is asked", async () => (await first.call("/hitl/pending")).body.requests[0]);
  await first.call("/hitl/respond", { body: { request_id: request.request_id, answer: "allow_once" } });
  await until("the command runs", () => existsSync(join(first.dataDir, "workspace/runs.txt")));
  await first.stop("SIGKILL");
  const second = await hooked(t, first.dataDir);
  const events = await ended(second, call.turn_id);
  t.match(of(events, "tool_result"), [{ error: /OUTCOME UNKNOWN/ }]);
  t.same((await second.control("/control/hooks")).body, { calls: [] });
});
