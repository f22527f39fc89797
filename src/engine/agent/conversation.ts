import type { AssistantContent, ModelMessage, ToolOutcome } from "../model/model-provider.ts";
import type { Conversation } from "./turn-context.ts";

type ToolUse = Extract<AssistantContent, { kind: "tool_use" }>;

/**
 * The conversation as a provider accepts it, whatever became of earlier turns: every tool call is followed by exactly
 * one result, in call order, and no result stands without its call. One call left open would make every later
 * request of the task fail.
 */
export function modelMessages(stored: ReturnType<Conversation["ofTask"]>, openCall: string): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let open: readonly ToolUse[] = [];
  const settle = (results: readonly ToolOutcome[]) => {
    if (open.length === 0) return;
    const given = new Map(results.map((result) => [result.id, result]));
    messages.push({
      role: "tool",
      results: open.map(({ id, tool }) => given.get(id) ?? { id, tool, output: openCall, isError: true }),
    });
    open = [];
  };
  for (const { role, content } of stored) {
    if (role === "tool") {
      settle(content as ToolOutcome[]);
      continue;
    }
    settle([]);
    if (role === "user") {
      messages.push({ role: "user", text: String(content) });
    } else {
      const parts = content as AssistantContent[];
      if (parts.length > 0) messages.push({ role: "assistant", content: parts });
      open = parts.filter((part) => part.kind === "tool_use");
    }
  }
  settle([]);
  return messages;
}

/** A result as its event told it. */
export interface ToldResult {
  readonly tool_call_id: string;
  readonly output: unknown;
  readonly error: string | null;
}

/** Stores the results of a turn's last answer that was cut off: those told before it, `words` for the calls without. */
export function finishOpenCalls(
  conversation: Conversation,
  { taskId, turnId }: { readonly taskId: string; readonly turnId: string },
  { told, words }: { readonly told: () => readonly ToldResult[]; readonly words: string },
): void {
  const last = conversation.ofTask(taskId).at(-1);
  if (last?.role !== "assistant") return;
  const calls = (last.content as AssistantContent[]).filter((part) => part.kind === "tool_use");
  if (calls.length === 0) return;
  const known = new Map(told().map((result) => [result.tool_call_id, result]));
  const results: ToolOutcome[] = calls.map(({ id, tool }) => {
    const { output, error } = known.get(id) ?? { output: null, error: words };
    return { id, tool, output: error ?? output, isError: error !== null };
  });
  conversation.append(taskId, { turnId, role: "tool", content: results });
}
