import t, { type Test } from "tap";
import type { HookAnswer, HookedCall, ToolHookRules } from "../../../src/contract/engine/tool-hook.ts";
import type { RulePermission, ToolRule } from "../../../src/engine/tools/tool-rules.ts";
import {
  type Parts,
  type PartsOptions,
  calls,
  engineParts,
  says,
  scriptedProvider,
  testTool,
} from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

const HOOK: ToolHookRules = { tools: ["pay*"], timeout_ms: 5000, on_error: "deny" };
type Step = readonly [id: string, tool: string, input: Readonly<Record<string, unknown>>][];

const rule = (permission: RulePermission, input: ToolRule["input"] = []): ToolRule => ({
  tool: "pay",
  permission,
  input,
  reason: null,
  place: { path: "settings.yaml", line: 2 },
});

/** A turn with these calls, and what its tool `pay` ran with. */
function turnWith(t: Test, step: Step, options: PartsOptions = {}) {
  const ran: unknown[] = [];
  const pay = testTool("pay", (input) => Promise.resolve(ran.push(input)));
  const other = testTool("other", () => Promise.resolve("seen"));
  const provider = scriptedProvider(calls(...step), says("done"));
  const parts = engineParts(t, { provider, tools: [pay, other], hook: HOOK, ...options });
  const turn = parts.runner.start({ task_id: "task", message: "go" });
  turn.run();
  const over = async () => {
    await until("the turn is over", () => !parts.runner.isRunning(turn.turnId));
    return parts.events(turn.turnId);
  };
  return { ...parts, ran, turnId: turn.turnId, over };
}

const asked = async ({ toolHook }: Pick<Parts, "toolHook">, after = 0): Promise<HookedCall> =>
  until("the product is asked", () => toolHook.waiting(after)[0] ?? null);

const answer = ({ toolHook }: Pick<Parts, "toolHook">, call: HookedCall, given: HookAnswer): boolean =>
  toolHook.answer({ turnId: call.turn_id, toolCallId: call.tool_call_id, attempt: call.attempt }, given);

const errorsOf = (events: readonly { event: string; data: Record<string, unknown> }[]) =>
  events.filter(({ event }) => event === "tool_result").map(({ data }) => data["error"]);

t.test(
  "a call that the product allows runs after the decision, and one that no pattern names is not asked about",
  async (t) => {
    const turn = turnWith(t, [
      ["a", "pay", { n: 1 }],
      ["b", "other", {}],
    ]);
    const call = await asked(turn);
    t.match(call, {
      tool: "pay",
      input: { n: 1 },
      task_id: "task",
      turn_id: turn.turnId,
      tool_call_id: "a",
      attempt: 1,
    });
    t.equal(turn.toolHook.waiting(call.seq).length, 0);
    t.same(turn.ran, [], "nothing runs before");
    t.ok(answer(turn, call, { verdict: "allow" }));
    t.same(errorsOf(await turn.over()), [null, null]);
    t.same(turn.ran, [{ n: 1 }]);
    t.equal(turn.store.db.prepare("select count(*) as n from tool_verdicts").get()?.["n"], 0, "nothing is kept of it");
  },
);

t.test("calls of one step are asked about together", async (t) => {
  const turn = turnWith(t, [
    ["a", "pay", { n: 1 }],
    ["b", "pay", { n: 2 }],
  ]);
  const both = await until("both are asked", () =>
    turn.toolHook.waiting(0).length === 2 ? turn.toolHook.waiting(0) : null,
  );
  for (const call of both.toReversed()) answer(turn, call, { verdict: "allow" });
  await turn.over();
  t.equal(turn.ran.length, 2);
});

t.test("a denied call does not run, and the model, the events and the transcript have the reason", async (t) => {
  const turn = turnWith(t, [["a", "pay", {}]]);
  answer(turn, await asked(turn), { verdict: "deny", reason: "too late in the day" });
  const events = await turn.over();
  t.match(errorsOf(events), ["the product denied this call: too late in the day"]);
  const verdicts = events.filter(({ event }) => event === "tool_verdict").map(({ data }) => data);
  t.match(verdicts, [{ tool: "pay", tool_call_id: "a", verdict: "deny", reason: "too late in the day" }]);
  t.same(turn.ran, []);
});

t.test(
  "a call that the product wants a person to decide is prompted for, although its tool needs no permission",
  async (t) => {
    const turn = turnWith(t, [["a", "pay", {}]]);
    answer(turn, await asked(turn), { verdict: "ask" });
    const request = await until("a person is asked", () => turn.humanRequests.pending()[0] ?? null);
    t.match(request, { kind: "permission", question: /May the agent use pay/ });
    turn.humanRequests.answer(request.request_id, "deny");
    t.match(errorsOf(await turn.over()), ["the user denied this call"]);
  },
);

t.test("a product that allows a call does not answer for the person whom a rule asks", async (t) => {
  const turn = turnWith(t, [["a", "pay", {}]], { rules: [rule("ask")] });
  answer(turn, await asked(turn), { verdict: "allow" });
  await until("a person is asked", () => turn.humanRequests.pending()[0] ?? null);
  t.same(turn.ran, []);
  turn.runner.cancel("task");
});

t.test("a call that the rules deny is not asked about", async (t) => {
  const turn = turnWith(t, [["a", "pay", {}]], { rules: [rule("deny")] });
  t.match(errorsOf(await turn.over()), [/rules deny this call/]);
  t.same(turn.toolHook.waiting(0), []);
});

t.test("a call runs with the input that the product gave it, and the events say so", async (t) => {
  const turn = turnWith(t, [["a", "pay", { n: 1 }]]);
  answer(turn, await asked(turn), { verdict: "change", input: { n: 2 } });
  const events = await turn.over();
  t.same(turn.ran, [{ n: 2 }]);
  t.match(
    events.filter(({ event }) => event === "tool_verdict").map(({ data }) => data),
    [{ verdict: "change", input: { n: 2 } }],
  );
});

t.test("attack: a changed input that the rules deny, or that the tool does not take, does not run", async (t) => {
  const rules = [rule("deny", [{ path: ["n"], pattern: "9*" }])];
  const turn = turnWith(
    t,
    [
      ["a", "pay", { n: 1 }],
      ["b", "pay", { n: 2 }],
    ],
    { rules },
  );
  const [first, second] = await until("both are asked", () =>
    turn.toolHook.waiting(0).length === 2 ? turn.toolHook.waiting(0) : null,
  );
  answer(turn, first!, { verdict: "change", input: { n: 99 } });
  answer(turn, second!, { verdict: "change", input: { n: "all of it" } });
  t.match(errorsOf(await turn.over()), [
    /rules deny this call/,
    /changed the input to one that the tool does not take: .*n/,
  ]);
  t.same(turn.ran, []);
});

t.test("attack: a second answer, and one of an earlier attempt, change nothing", async (t) => {
  const turn = turnWith(t, [["a", "pay", {}]]);
  const call = await asked(turn);
  t.notOk(answer(turn, { ...call, attempt: 2 }, { verdict: "allow" }), "an attempt that there was not");
  t.ok(answer(turn, call, { verdict: "deny" }));
  t.notOk(answer(turn, call, { verdict: "allow" }));
  t.match(errorsOf(await turn.over()), ["the product denied this call"]);
  t.same(turn.ran, []);
});

t.test("attack: a decision about one input does not hold for another", async (t) => {
  const turn = turnWith(t, [["a", "pay", { n: 1 }]]);
  const first = await asked(turn);
  turn.store.db
    .prepare("update tool_verdicts set input_hash = 'of another', verdict = 'allow' where tool_call_id = 'a'")
    .run();
  const { slots, toolHook } = turn;
  const slot = slots.get("task")!;
  const again = toolHook.ofTurn(slot).decide({ toolCallId: "a", agent: "default", tool: "pay", input: { n: 5 } });
  const second = await asked(turn, first.seq);
  t.match(second, { attempt: 2, input: { n: 5 } });
  answer(turn, second, { verdict: "deny" });
  t.match(await again, { verdict: "deny" });
  t.notOk(answer(turn, first, { verdict: "allow" }), "the attempt before is over");
  turn.runner.cancel("task");
});

t.test("without an answer in time the policy decides, whether a daemon is there or not", async (t) => {
  for (const onError of ["deny", "ask"] as const) {
    const turn = turnWith(t, [["a", "pay", {}]], { hook: { ...HOOK, timeout_ms: 100, on_error: onError } });
    if (onError === "ask") {
      await until("a person is asked", () => turn.humanRequests.pending()[0] ?? null);
      turn.runner.cancel("task");
    } else {
      t.match(errorsOf(await turn.over()), [
        "the product's hook did not decide about this call: it did not answer in time",
      ]);
    }
    t.same(turn.ran, []);
  }
});

t.test("an input of more than 1 MiB is not sent: the policy decides", async (t) => {
  const provider = scriptedProvider(calls(["a", "pay_text", { text: "x".repeat(1024 * 1024) }]), says("done"));
  const tool = testTool("pay_text", () => Promise.resolve("paid"), {
    input: { jsonSchema: {}, check: (input) => ({ kind: "valid", input: input as Record<string, unknown> }) },
  });
  const parts = engineParts(t, { provider, tools: [tool], hook: HOOK });
  t.match(errorsOf(await parts.turn("task")), [/larger than it is asked about/]);
});

t.test("a turn that is cancelled waits for nobody", async (t) => {
  const turn = turnWith(t, [["a", "pay", {}]]);
  await asked(turn);
  turn.runner.cancel("task");
  await turn.over();
  t.same(turn.toolHook.waiting(0), []);
  t.equal(turn.store.db.prepare("select count(*) as n from tool_verdicts").get()?.["n"], 0);
});
