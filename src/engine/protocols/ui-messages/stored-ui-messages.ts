import type { TaskMessage, TaskMessagePart } from "../../../contract/engine/task-message.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { ASK_TOOL, type Chunk, type MessageMetadata } from "./chunks.ts";
import { filePart, userParts } from "./look-up.ts";
import { questionInput } from "./shown-call.ts";

/** A message as `useChat` has it. */
export interface StoredUiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly metadata: MessageMetadata;
  readonly parts: Chunk[];
}

/** The messages of a conversation as `useChat` takes them. All that belongs to a turn's answer is one message. */
export async function uiMessages(
  calls: EngineCalls,
  stored: readonly TaskMessage[],
): Promise<readonly StoredUiMessage[]> {
  const shown: StoredUiMessage[] = [];
  for (const message of stored) {
    const { message_id: messageId, turn_id: turnId, role, parts, created_at } = message;
    const last = shown.at(-1);
    const isOfLast = last?.role === "assistant" && last.id === turnId;
    if (role === "user") {
      const own = await userParts(calls, parts);
      if (isOfLast) last.parts.push({ type: "steering-message", id: messageId, parts: own });
      else
        shown.push({
          id: messageId,
          role,
          metadata: { turn_id: turnId, created_at, ...ended(message) },
          parts: [...own],
        });
      continue;
    }
    const own = await answerParts(calls, parts);
    if (isOfLast) {
      last.parts.push(...own);
      Object.assign(last.metadata, ended(message));
    } else shown.push({ id: turnId, role, metadata: { turn_id: turnId, created_at, ...ended(message) }, parts: own });
    if (message.output !== undefined) shown.at(-1)?.parts.push({ type: "data-output", data: message.output });
  }
  return shown;
}

function ended({ parts, usage, status }: TaskMessage): MessageMetadata {
  const failed = parts.find((part) => part.type === "error");
  return { status, ...(usage !== null && { usage }), ...(failed && { error: { code: failed.error } }) };
}

/** A step begins before the first part, and where text follows calls. */
async function answerParts(calls: EngineCalls, parts: readonly TaskMessagePart[]): Promise<Chunk[]> {
  const shown: Chunk[] = [{ type: "step-start" }];
  let tool: Chunk | null = null;
  for (const part of parts) {
    switch (part.type) {
      case "text":
      case "reasoning":
        if (tool !== null) shown.push({ type: "step-start" });
        tool = null;
        shown.push({ type: part.type, text: part.text, state: "done" });
        break;
      case "tool":
        tool = toolPart(part);
        shown.push(tool);
        for (const file of part.attachments ?? []) shown.push(await filePart(calls, file));
        break;
      case "artifact": {
        const { type: _, ...artifact } = part;
        shown.push({ type: "data-artifact", id: part.artifact_id, data: artifact }, await filePart(calls, part));
        break;
      }
      case "question":
        if (tool !== null && part.kind === "permission") approve(tool, part);
        else if (part.kind !== "permission" && tool?.["toolName"] !== ASK_TOOL) shown.push(questionPart(part));
        break;
      default:
    }
  }
  return shown;
}

type Part<Type extends TaskMessagePart["type"]> = Extract<TaskMessagePart, { readonly type: Type }>;

function toolPart({ tool, tool_call_id: id, input, status, output, error }: Part<"tool">): Chunk {
  const call = { type: "dynamic-tool", toolName: tool, toolCallId: id, input };
  const own = tool === ASK_TOOL ? {} : { providerExecuted: true };
  if (status === "running") return { ...call, ...own, state: "input-available" };
  if (status === "failed") return { ...call, ...own, state: "output-error", errorText: error ?? "" };
  return { ...call, ...own, state: "output-available", output };
}

/** Adds a permission prompt to the call that it is about. */
function approve(tool: Chunk, { request_id: id, question, options, status, answer }: Part<"question">): void {
  const asked = { id, requestReason: question, descriptor: { options } };
  if (status === "open") {
    tool["state"] = "approval-requested";
    tool["approval"] = asked;
    return;
  }
  const isApproved = answer?.startsWith("allow_") ?? false;
  tool["approval"] = { ...asked, approved: isApproved };
  if (tool["state"] === "input-available") tool["state"] = "approval-responded";
  else if (!isApproved) {
    tool["state"] = "output-denied";
    delete tool["errorText"];
  }
}

/** A question that no call of the agent's own asks. */
function questionPart({ request_id: id, question, options, status, answer }: Part<"question">): Chunk {
  const call = {
    type: "dynamic-tool",
    toolName: ASK_TOOL,
    toolCallId: id,
    input: questionInput(question, options, options.length === 0),
  };
  if (status === "open") return { ...call, state: "input-available" };
  return { ...call, state: "output-available", output: { answer } };
}
