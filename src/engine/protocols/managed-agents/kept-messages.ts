import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import { resultBlocks, textBlock, userBlocks } from "./content-blocks.ts";
import { failure } from "./session-errors.ts";
import {
  END,
  QUESTION_TOOL,
  START,
  type SessionEvent,
  agentMessage,
  agentThinking,
  customToolResult,
  customToolUse,
  idle,
  running,
  toolResult,
  toolUse,
  userMessage,
} from "./session-event.ts";

/**
 * The events of a turn whose own events are no longer stored, from its messages. Their ids are those that they had. What a
 * conversation does not have, such as model calls and waits, is left out.
 */
export function eventsOfMessages(messages: readonly TaskMessage[]): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let [texts, thoughts, users] = [0, 0, 0];
  for (const { turn_id: turnId, role, created_at: at, parts, status } of messages) {
    const moment = { turnId, at };
    if (role === "user") {
      events.push(userMessage(moment, users++, userBlocks(parts)));
      if (users === 1) events.push(running(moment, START));
    }
    for (const part of role === "user" ? [] : parts)
      switch (part.type) {
        case "text":
          events.push(agentMessage(moment, texts++, part.text));
          break;
        case "reasoning":
          events.push(agentThinking(moment, thoughts++));
          break;
        case "tool": {
          if (part.tool === QUESTION_TOOL) break;
          const call = { id: part.tool_call_id, tool: part.tool, input: part.input };
          events.push(toolUse(moment, call));
          if (part.status === "running") break;
          const content = resultBlocks(part.output, part.error, part.attachments);
          events.push(toolResult(moment, call, { content, is_error: part.error !== null }));
          break;
        }
        case "question": {
          if (part.kind === "permission") break;
          const { request_id: id, question, options, answer } = part;
          events.push(customToolUse(moment, id, QUESTION_TOOL, { question, options }));
          const content = [textBlock(answer ?? "expired")];
          if (part.status !== "open") events.push(customToolResult(moment, id, { content, is_error: answer === null }));
          break;
        }
        default:
          break;
      }
    const error = parts.find(({ type }) => type === "error");
    if (error?.type === "error") {
      const { event, reason } = failure(moment, error.error, error.error);
      events.push(event, idle(moment, END, reason));
    } else if (status === "completed" && role === "assistant" && messages.at(-1)?.parts === parts)
      events.push(idle(moment, END, { type: "end_turn" }));
  }
  return events;
}
