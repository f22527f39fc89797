import t from "tap";
import { modelMessages } from "../../../src/engine/agent/conversation.ts";

type Stored = Parameters<typeof modelMessages>[0];

const WHOLE: Stored = [
  { role: "user", content: "first" },
  {
    role: "assistant",
    content: [
      { kind: "text", text: "let me see" },
      { kind: "tool_use", id: "a", tool: "read", input: {} },
      { kind: "tool_use", id: "b", tool: "read", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { id: "b", tool: "read", output: 2, isError: false },
      { id: "a", tool: "read", output: 1, isError: false },
    ],
  },
  { role: "assistant", content: [{ kind: "tool_use", id: "c", tool: "read", input: {} }] },
  { role: "tool", content: [{ id: "c", tool: "read", output: 3, isError: false }] },
  { role: "assistant", content: [{ kind: "text", text: "so" }] },
  { role: "user", content: "second" },
];

t.test("in any part of a conversation, every call has exactly one result after it, in call order", async (t) => {
  for (let kept = 0; kept < 2 ** WHOLE.length; kept++) {
    const stored = WHOLE.filter((_, index) => (kept >> index) % 2 === 1);
    const messages = modelMessages(stored);
    let fault = "";
    for (const [index, message] of messages.entries()) {
      const next = messages[index + 1];
      if (message.role === "assistant") {
        const ids = message.content.filter((part) => part.kind === "tool_use").map(({ id }) => id);
        const answered = next?.role === "tool" ? next.results.map(({ id }) => id) : [];
        if (ids.join() !== answered.join()) fault = `${ids.join()} answered by ${answered.join()}`;
      } else if (message.role === "tool" && messages[index - 1]?.role !== "assistant") {
        fault = "a result without its call";
      }
    }
    if (fault !== "") t.fail(`${fault} in ${JSON.stringify(stored)}`);
  }
  t.match(modelMessages(WHOLE)[2], {
    results: [
      { id: "a", output: 1 },
      { id: "b", output: 2 },
    ],
  });
  t.match(modelMessages(WHOLE.slice(0, 2)).at(-1), {
    results: [
      { id: "a", output: /whether it took effect is unknown/, isError: true },
      { id: "b", isError: true },
    ],
  });
});
