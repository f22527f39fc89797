import type { PendingRequest } from "../../../contract/engine/human-request.ts";
import { asText, isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import type { HumanRequest } from "../turn-progress.ts";
import type { Resume } from "./run-input.ts";

const DENY = "deny";
const ALLOW = "allow_once";

/** A question or permission prompt, as a run ends with it. */
export function interruptOf(
  { request_id: id, kind, question, context, options }: HumanRequest,
  subagentRunId: string | undefined,
): object {
  const { tool_call_id: toolCallId, allow_free_text: isFree } = context;
  const answer = isFree === true || options.length === 0 ? { type: "string" } : { type: "string", enum: options };
  return {
    id,
    reason: kind === "permission" ? "tool_call" : "input_required",
    message: question,
    ...(typeof toolCallId === "string" && { toolCallId }),
    responseSchema: { type: "object", properties: { answer }, required: ["answer"] },
    metadata: { kind, options, context },
    ...(subagentRunId !== undefined && { subagentRunId }),
  };
}

/** The answer that an entry of `resume` gives. Null: the user has cancelled a question. */
export function answerOf({ status, payload }: Resume, kind: PendingRequest["kind"]): string | null {
  if (status === "cancelled") return kind === "permission" ? DENY : null;
  if (typeof payload === "boolean") return approval(payload);
  if (!isRecord(payload)) return asText(payload);
  if (typeof payload["answer"] === "string") return payload["answer"];
  if (typeof payload["approved"] === "boolean") return approval(payload["approved"]);
  return asText(payload);
}

const approval = (isApproved: boolean): string => (isApproved ? ALLOW : DENY);

/** Answers the requests of a turn. A cancelled question ends the turn. Answers that it has already may come again. */
export async function answerRequests(
  calls: EngineCalls,
  resume: readonly Resume[],
  {
    taskId,
    turnId,
    known,
  }: { readonly taskId: string; readonly turnId: string; readonly known: ReadonlyMap<string, HumanRequest> },
): Promise<void> {
  for (const [index, entry] of resume.entries()) {
    const request = known.get(entry.interruptId);
    if (request === undefined) {
      const problem = "the thread's last turn has no request with this id";
      throw calls.error("HITL_NOT_FOUND", `resume.${index}.interruptId: ${problem}`);
    }
    const answer = answerOf(entry, request.kind);
    if (answer === null) calls.cancelTurn(taskId, turnId);
    else if (answer === "")
      throw calls.error("INVALID_REQUEST", `resume.${index}.payload: expected an answer, such as {"answer": "…"}`);
    else await calls.call("respond", { body: { request_id: entry.interruptId, answer } });
  }
}
