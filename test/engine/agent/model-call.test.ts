import t from "tap";
import type { ModelPart } from "../../../src/engine/model/model-provider.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";

const failing =
  (failure: Extract<ModelPart, { kind: "failed" }>["failure"], ...before: ModelPart[]) =>
  (): ModelPart[] => [...before, { kind: "failed", failure, usage: null }];

t.test("a provider failure ends the turn with its code", async (t) => {
  const message = "said by the provider";
  const cases: readonly [Extract<ModelPart, { kind: "failed" }>["failure"], Record<string, unknown>][] = [
    [
      { kind: "rate_limited", message, retryAfterS: 7 },
      { error: "LLM_RATE_LIMITED", details: { retry_after: 7 } },
    ],
    [{ kind: "rate_limited", message, retryAfterS: null }, { error: "LLM_RATE_LIMITED" }],
    [{ kind: "transient", message, status: 529, retryAfterS: null }, { error: "LLM_PROVIDER_ERROR" }],
    [
      { kind: "permanent", message, status: 401 },
      { error: "LLM_PROVIDER_ERROR", details: { status: 401 } },
    ],
    [{ kind: "too_long", message }, { error: "LLM_PROVIDER_ERROR" }],
  ];
  for (const [failure, error] of cases) {
    const events = await engineParts(t, { provider: scriptedProvider(failing(failure)), dataDir: t.testdir() }).turn(
      "x",
    );
    t.match(events.at(-1), { event: "error", data: { ...error, message } });
    t.match(events.at(-2)?.data, { phase: "errored", error: error["error"], message });
    if (error["details"] === undefined && failure.kind === "rate_limited") t.notOk(events.at(-1)?.data["details"]);
  }
});

t.test("text before a failure is kept, an unfinished call is not", async (t) => {
  const cut: ModelPart[] = [
    { kind: "block_start", block: "text" },
    { kind: "text", text: "whole" },
    { kind: "block_stop", block: "text" },
    { kind: "block_start", block: "text" },
    { kind: "text", text: "half of" },
  ];
  const provider = scriptedProvider(
    failing({ kind: "transient", message: "cut", status: null, retryAfterS: null }, ...cut),
    failing(
      { kind: "transient", message: "cut", status: null, retryAfterS: null },
      { kind: "block_start", block: "tool_use" },
      { kind: "tool_use", id: "t", tool: "any", input: {}, rawInput: "{}" },
    ),
    says("done"),
  );
  const parts = engineParts(t, { provider });
  const events = await parts.turn("kept", "one");
  t.match(events.map(({ event }) => event).slice(-3), ["content_block_stop", "thread_lifecycle", "error"]);
  const second = await parts.turn("kept", "two");
  t.notOk(second.some(({ event }) => event === "tool_call" || event === "tool_result"));
  await parts.turn("kept", "three");
  t.match(provider.requests[2]?.messages, [
    { role: "user", text: "one" },
    {
      role: "assistant",
      content: [
        { kind: "text", text: "whole" },
        { kind: "text", text: "half of" },
      ],
    },
    { role: "user", text: "two" },
    { role: "user", text: "three" },
  ]);
});

t.test("thinking is returned with its signature, and block_index rises through the turn", async (t) => {
  const provider = scriptedProvider(
    () => [
      { kind: "block_start", block: "thinking" },
      { kind: "thinking", text: "hm" },
      { kind: "thinking", text: "", signature: { sig: 1 } },
      { kind: "block_stop", block: "thinking" },
      ...calls(["a", "any", {}])(),
    ],
    says("done"),
  );
  const events = await engineParts(t, { provider, tools: [testTool("any", async () => 1)] }).turn("think");
  const starts = events.filter(({ event }) => event === "content_block_start").map(({ data }) => data);
  t.match(starts, [
    { block_index: 0, block_type: "thinking" },
    { block_index: 1, block_type: "tool_use" },
    { block_index: 2, block_type: "text" },
  ]);
  t.match(provider.requests[1]?.messages[1], {
    role: "assistant",
    content: [
      { kind: "thinking", text: "hm", signature: { sig: 1 } },
      { kind: "tool_use", id: "a" },
    ],
  });
});

t.test("a provider that throws ends the turn with INTERNAL_ERROR, without its message", async (t) => {
  const provider = scriptedProvider(() => {
    throw new Error("key sk-secret");
  });
  const parts = engineParts(t, { provider });
  const events = await parts.turn("fault");
  t.match(events.at(-1), { event: "error", data: { error: "INTERNAL_ERROR" } });
  t.notMatch(JSON.stringify(events), "sk-secret");
  t.equal(parts.slots.size, 0);
});
