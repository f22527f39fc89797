import type { TaskMessage, TaskMessagePart } from "@orchd/client";
import { type Step, TurnSteps } from "./turn-steps.ts";

/** What a turn did, from its stored messages: its events are gone after 24 hours. */
export function storedSteps(messages: readonly TaskMessage[]): TurnSteps {
  const turn = new TurnSteps();
  const [first, ...rest] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return turn;
  turn.phase = last.status === "completed" || last.status === "errored" ? last.status : "running";
  turn.usage = last.usage;
  if (first.role === "user") turn.files = first.parts.filter((part) => part.type === "attachment");
  // Of the message that began the turn, only its failure is a step.
  const beginning = first.role === "user" ? { ...first, parts: first.parts.filter(isError) } : first;
  for (const message of [beginning, ...rest])
    for (const part of message.parts) {
      const step = stepOf(message, part, turn.steps.length + 1);
      if (step !== null) turn.steps.push(step);
    }
  return turn;
}

const isError = ({ type }: TaskMessagePart): boolean => type === "error";

function stepOf({ role, created_at }: TaskMessage, part: TaskMessagePart, seq: number): Step | null {
  const atMs = Date.parse(created_at);
  const base = { seq, fromMs: atMs, toMs: atMs, events: 1, stored: [] };
  switch (part.type) {
    case "text":
      return role === "user"
        ? { ...base, kind: "said", text: part.text }
        : { ...base, kind: "text", block: seq, text: part.text };
    case "reasoning":
      return { ...base, kind: "thinking", block: seq, text: part.text };
    case "tool": {
      const { tool_call_id: id, tool, input, output, error, status, attachments: files = [] } = part;
      const toMs = status === "running" ? null : atMs;
      return { ...base, kind: "tool", id, tool, input, agent: undefined, output, error, files, toMs };
    }
    case "question": {
      const { request_id: id, kind, question, options, answer } = part;
      const isPermission = kind === "permission";
      return {
        ...base,
        kind: "question",
        id,
        isPermission,
        question,
        options,
        allowsText: options.length === 0,
        answer,
      };
    }
    case "error":
      return { ...base, kind: "error", text: `The turn failed: ${part.error}` };
    // The call that published it is shown.
    case "artifact":
    case "attachment":
    case "context":
      return null;
    default:
      return part satisfies never;
  }
}
