import t from "tap";
import { contextParts } from "../../../src/engine/model/context-parts.ts";
import { requestTokens } from "../../../src/engine/model/context-window.ts";
import type { ModelMessage, ModelRequest } from "../../../src/engine/model/model-provider.ts";

const file = { kind: "image", name: "a.png", path: "a", media_type: "image/png", bytes: 9, digest: "d" } as const;
const messages: readonly ModelMessage[] = [
  { role: "user", text: "an earlier question", recalled: "what was known then" },
  { role: "assistant", content: [{ kind: "text", text: "an earlier answer" }] },
  { role: "user", text: "this message", parts: [{ kind: "attachment", file, tokens: 1500 }] },
  { role: "assistant", content: [{ kind: "tool_use", id: "c", tool: "read_file", input: {} }] },
  { role: "tool", results: [{ id: "c", tool: "read_file", output: "x".repeat(4000), isError: false }] },
];
const request: ModelRequest = {
  model: "any",
  system: "s".repeat(400),
  tools: [{ name: "read_file", description: "reads", inputSchema: { type: "object" } }],
  messages,
  thinking: false,
  maxOutputTokens: 1000,
};

t.test("each part of a request is counted once, about as the whole request is", async (t) => {
  const parts = contextParts(request, null);
  t.equal(parts.system, 101, "four characters a token, with the quotes");
  t.equal(parts.attachments, 1500);
  t.ok(parts.steps > 1000 && parts.steps < 1100, "the tool's result belongs to the turn's steps");
  t.ok(parts.recalled > 0 && parts.history > 0 && parts.message > 0 && parts.tools > 0);
  const sum = Object.values(parts).reduce((all, part) => all + part, 0);
  t.ok(Math.abs(sum - requestTokens(request)) < 20, `${sum} of ${requestTokens(request)}`);
});

t.test("parts add up to what the provider counted", async (t) => {
  for (const reported of [1, 777, 1_000_003]) {
    const parts = contextParts(request, reported);
    t.equal(
      Object.values(parts).reduce((all, part) => all + part, 0),
      reported,
    );
  }
});

t.test("a request without messages has no message and no history", async (t) => {
  t.match(contextParts({ ...request, messages: [], tools: [] }, null), { message: 0, history: 0, steps: 0, tools: 0 });
});
