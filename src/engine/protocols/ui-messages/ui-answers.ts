import type { PendingRequest } from "../../../contract/engine/human-request.ts";
import type { PendingToolCall } from "../../../contract/engine/client-tool.ts";
import { isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import type { UiPart } from "./chat-request.ts";

type Answer =
  | { readonly kind: "approval"; readonly isApproved: boolean; readonly reason: unknown }
  | { readonly kind: "output"; readonly output: unknown }
  | { readonly kind: "error"; readonly text: string };

/** Answers of a client, by the id of the call or of the approval. */
export type Answers = Map<string, Answer>;

/** What the parts of a message answer. Parts that the engine has answered itself are of no call that waits. */
export function answersOf(parts: readonly UiPart[]): Answers {
  const answers: Answers = new Map();
  for (const { state, toolCallId, output, errorText, approval } of parts) {
    if (state === "approval-responded" && isRecord(approval) && typeof approval["id"] === "string")
      answers.set(approval["id"], {
        kind: "approval",
        isApproved: approval["approved"] === true,
        reason: approval["reason"],
      });
    if (typeof toolCallId !== "string") continue;
    if (state === "output-available") answers.set(toolCallId, { kind: "output", output: output ?? null });
    if (state === "output-error") answers.set(toolCallId, { kind: "error", text: textOf(errorText) || "failed" });
  }
  return answers;
}

/** Answers what a task waits for, as far as the client has answered it. Returns how many there were; each is used once. */
export async function deliver(calls: EngineCalls, taskId: string, answers: Answers): Promise<number> {
  if (answers.size === 0) return 0;
  let delivered = 0;
  const use = async (id: string, send: (answer: Answer) => Promise<unknown>) => {
    const answer = answers.get(id);
    if (answer === undefined) return;
    await send(answer);
    answers.delete(id);
    delivered++;
  };
  const tools = await calls.call<{ readonly calls: readonly PendingToolCall[] }>("pendingTools");
  for (const { task_id: task, tool_call_id: id } of tools.calls)
    if (task === taskId)
      await use(id, (answer) => calls.call("respondTool", { body: { tool_call_id: id, ...toolResult(answer) } }));
  const { requests } = await calls.call<{ readonly requests: readonly PendingRequest[] }>("pending");
  for (const request of requests)
    if (request.task_id === taskId)
      await use(idOf(request, answers), (answer) =>
        calls.call("respond", { body: { request_id: request.request_id, answer: answerText(request, answer) } }),
      );
  return delivered;
}

/** A question is a call of `ask_human`, or shown as one by its own id. */
function idOf({ kind, request_id: id, context }: PendingRequest, answers: Answers): string {
  const call = context["tool_call_id"];
  return kind === "question" && typeof call === "string" && context["tool"] === "ask_human" && !answers.has(id)
    ? call
    : id;
}

const toolResult = (answer: Answer) =>
  answer.kind === "error" ? { error: answer.text } : { output: answer.kind === "output" ? answer.output : null };

function answerText({ kind, options }: PendingRequest, answer: Answer): string {
  if (kind === "permission") {
    if (answer.kind !== "approval" || !answer.isApproved) return "deny";
    const { reason } = answer;
    return typeof reason === "string" && reason.startsWith("allow_") && options.includes(reason)
      ? reason
      : "allow_once";
  }
  if (answer.kind === "approval") return answer.isApproved ? "yes" : "no";
  if (answer.kind === "error") return answer.text;
  const { output } = answer;
  return textOf(isRecord(output) && "answer" in output ? output["answer"] : output);
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
