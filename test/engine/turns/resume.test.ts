import { join } from "node:path";
import t, { type Test } from "tap";
import type { ModelProvider } from "../../../src/engine/model/model-provider.ts";
import { calls, engineParts, says, scriptedProvider, testTool, type Parts } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { whenAborted } from "../../../src/shared/clock.ts";
import { until } from "../../helpers/until.ts";

const silent = async function* (_request: unknown, signal: AbortSignal) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  yield { kind: "failed", failure: { kind: "aborted" }, usage: null } as const;
};

/** The engine's folder as it is if the engine is killed now. */
function killed(t: Test, parts: Parts): string {
  const dataDir = freshFolder(t);
  parts.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  for (const { taskId } of parts.slots.all()) parts.runner.cancel(taskId);
  return dataDir;
}

/** Goes on with what there is in a killed engine's folder, and gives the events of its turn at the end. */
async function goneOn(parts: Parts, turnId: string) {
  parts.runner.recover();
  await until("the turn is over", () => parts.slots.size === 0);
  return parts.events(turnId);
}

async function runningUntil(parts: Parts, provider: { requests: unknown[] }, count: number, maxSteps = 100) {
  const turn = parts.runner.start({ task_id: "task", message: "go", max_steps: maxSteps });
  turn.run();
  await until(`${count} model calls`, () => provider.requests.length === count);
  parts.journal.flush();
  return turn.turnId;
}

const same = testTool("same", async () => "nothing new");
const rounds = (count: number) => Array.from({ length: count }, (_, n) => calls([`c${n}`, "same", {}]));

t.test("the step limit counts steps before a restart", async (t) => {
  const provider = scriptedProvider(...rounds(2), silent);
  const first = engineParts(t, { provider, tools: [same] });
  const turnId = await runningUntil(first, provider, 3, 4);
  const later = scriptedProvider(...rounds(9));
  const second = engineParts(t, { dataDir: killed(t, first), provider: later, tools: [same] });
  const events = await goneOn(second, turnId);
  t.match(events.at(-1), { event: "error", data: { error: "STEP_LIMIT", details: { max_steps: 4 } } });
  t.equal(later.requests.length, 2);
});

t.test("loop detection counts calls before a restart", async (t) => {
  const provider = scriptedProvider(...rounds(3), silent);
  const first = engineParts(t, { provider, tools: [same] });
  const turnId = await runningUntil(first, provider, 4);
  const later = scriptedProvider(...rounds(9));
  const second = engineParts(t, { dataDir: killed(t, first), provider: later, tools: [same] });
  t.match((await goneOn(second, turnId)).at(-1), { event: "error", data: { error: "LOOP_DETECTED" } });
  t.equal(later.requests.length, 2);
});

t.test("usage includes the usage before a restart", async (t) => {
  const provider = scriptedProvider(...rounds(1), silent);
  const first = engineParts(t, { provider, tools: [same] });
  const turnId = await runningUntil(first, provider, 2);
  const second = engineParts(t, { dataDir: killed(t, first), provider: scriptedProvider(says("done")), tools: [same] });
  const usages = (await goneOn(second, turnId)).filter(({ event }) => event === "usage");
  t.match(
    usages.map(({ data }) => data["input_tokens"]),
    [10, 20],
  );
});

t.test("a nested loop has its own conversation and resumes from its own steps", async (t) => {
  const inner = scriptedProvider(calls(["i", "same", {}]), silent);
  const laterInner = scriptedProvider(says("found"));
  const delegating = (provider: ModelProvider) => (t: Test, dataDir?: string) =>
    engineParts(t, {
      provider,
      tools: [same],
      ...(dataDir !== undefined && { dataDir }),
      around: (loop) => async (context) => {
        const outcome = await loop(context.branch("helper", "find it"));
        return outcome.kind === "completed" && context.log.steps === 0 ? loop(context) : outcome;
      },
    });
  const first = delegating(inner)(t);
  const turnId = await runningUntil(first, inner, 2);
  const both: ModelProvider & { requests: typeof inner.requests } = laterInner;
  const second = delegating(both)(t, killed(t, first));
  const events = await goneOn(second, turnId);
  t.match(events.at(-1)?.data, { phase: "completed" });
  t.match(both.requests[0]?.messages, [
    { role: "user", text: "find it" },
    { role: "assistant", content: [{ id: "i" }] },
    { role: "tool", results: [{ id: "i", output: "nothing new" }] },
  ]);
  t.match(both.requests[1]?.messages, [{ role: "user", text: "go" }], "the task's own knows nothing of it");
  t.equal(both.requests[1]?.messages.length, 1);
});

t.test("a permission request without an answer in time counts as denied", async (t) => {
  let ran = false;
  const careful = testTool("careful", async () => (ran = true), { readOnly: false, permission: "ask" });
  const curious = testTool(
    "curious",
    async (_input, context) => context.ask({ question: "Well?", options: [], allowFreeText: true }),
    { asksHuman: true },
  );
  const provider = scriptedProvider(calls(["p", "careful", {}], ["q", "curious", {}]), says("without, then"));
  const parts = engineParts(t, { provider, tools: [careful, curious], hitlTtlMs: 100 });
  const events = await parts.turn("slow");
  const data = (type: string) => events.filter(({ event }) => event === type).map((one) => one.data);
  t.match(data("hitl_resolved"), [{ answer: "expired" }, { answer: "expired" }]);
  t.match(data("tool_result"), [{ error: /denied/ }, { error: /timed out without an answer/ }]);
  t.notOk(ran);
  t.match(events.at(-1)?.data, { phase: "completed" }, "the turn goes on without");
  t.throws(() => parts.humanRequests.answer(String(data("hitl_request")[0]?.["request_id"]), "allow_once"), {
    code: "HITL_ALREADY_ANSWERED",
  });
});

t.test("the time to answer includes engine downtime", async (t) => {
  const curious = testTool(
    "curious",
    async (_input, context) => context.ask({ question: "Well?", options: [], allowFreeText: true }),
    { asksHuman: true },
  );
  const first = engineParts(t, { provider: scriptedProvider(calls(["q", "curious", {}])), tools: [curious] });
  const turn = first.runner.start({ task_id: "task", message: "go" });
  turn.run();
  await until("it is asked", () => first.humanRequests.pending().length === 1);
  const dataDir = killed(t, first);
  const second = engineParts(t, { dataDir, provider: scriptedProvider(says("so")), tools: [curious], hitlTtlMs: 1 });
  const events = await goneOn(second, turn.turnId);
  t.equal(events.filter(({ event }) => event === "hitl_request").length, 1);
  t.match(events.find(({ event }) => event === "hitl_resolved")?.data, { answer: "expired" });
  t.match(events.at(-1)?.data, { phase: "completed" });
});

const DAMAGE = {
  events: "update events set lines = 'content_block_start 1 {broken' where turn_id <> ''",
  request: "update turns set request = '{broken'",
};
for (const [what, damage] of Object.entries(DAMAGE)) {
  t.test(`a turn whose stored ${what} cannot be read ends, and frees its task`, async (t) => {
    const provider = scriptedProvider(...rounds(1), silent);
    const first = engineParts(t, { provider, tools: [same] });
    const turnId = await runningUntil(first, provider, 2);
    first.store.db.exec(damage);
    const second = engineParts(t, { dataDir: killed(t, first), provider: scriptedProvider(says("again")) });
    second.runner.recover();
    t.equal(second.slots.size, 0);
    const state = second.store.db.prepare("select error_code from turns where turn_id = ?").get(turnId);
    t.equal(state?.["error_code"], "ENGINE_RESTARTED");
    t.match((await second.turn("task", "new")).at(-1)?.data, { phase: "completed" });
  });
}

t.test("a resumed turn waits until its tools are ready, and can be cancelled meanwhile", async (t) => {
  const provider = scriptedProvider(...rounds(1), silent);
  const first = engineParts(t, { provider, tools: [same] });
  const turnId = await runningUntil(first, provider, 2);
  const dataDir = killed(t, first);
  const later = scriptedProvider(says("on"));
  const toolsReady = ({ signal }: { signal: AbortSignal }) => whenAborted(signal);
  const second = engineParts(t, { dataDir, provider: later, tools: [same], toolsReady });
  second.runner.recover();
  await new Promise(setImmediate);
  t.equal(later.requests.length, 0);
  t.equal(second.slots.get("task")?.turnId, turnId);
  t.ok(second.runner.cancel("task"));
  await until("the turn is over", () => second.slots.size === 0);
  t.match(second.events(turnId).at(-1), { event: "error", data: { error: "CANCELLED" } });
});
