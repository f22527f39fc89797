import type { PendingRequest } from "../../../contract/engine/human-request.ts";
import type { TurnRecord } from "../../../contract/engine/turn.ts";
import { type EngineCalls, eventOf } from "../engine-calls.ts";
import { readEventId } from "./event-ids.ts";

/** The event that an answer names, and the field that names it. */
interface Named {
  readonly taskId: string;
  readonly id: string;
  readonly at: string;
}

/** Answers a call of the client's tool, or a question of the agent. The same answer again succeeds. */
export async function answerCall(
  calls: EngineCalls,
  { taskId, id, at }: Named,
  { text, isError }: { readonly text: string; readonly isError: boolean },
): Promise<void> {
  const { what } = await ownEvent(calls, { taskId, id, at: `${at}.custom_tool_use_id` });
  if (what.startsWith("hitl-")) await calls.call("respond", { body: { request_id: what, answer: text } });
  else {
    const answer = isError ? { error: text === "" ? "the tool failed" : text } : { output: text };
    await calls.call("respondTool", { body: { tool_call_id: what, ...answer } });
  }
}

/** Answers a permission prompt. `tell` sends the reason of a denial to the agent. */
export async function confirmCall(
  calls: EngineCalls,
  { taskId, id, at }: Named,
  { result, tell }: { readonly result: "allow" | "deny"; readonly tell: (() => Promise<unknown>) | null },
): Promise<void> {
  const field = `${at}.tool_use_id`;
  const { turnId, what } = await ownEvent(calls, { taskId, id, at: field });
  const open = await openPrompt(calls, turnId, what);
  const requestId = open ?? (await earlierPrompt(calls, { taskId, turnId, callId: what }));
  if (requestId === null) throw calls.error("INVALID_REQUEST", `${field}: the call waits for no confirmation`);
  // Before the answer, so that it enters the same turn.
  if (tell !== null && open !== null) await tell();
  const answer = result === "allow" ? "allow_once" : "deny";
  await calls.call("respond", { body: { request_id: requestId, answer } });
}

/** Throws for an event of another session. */
async function ownEvent(calls: EngineCalls, { taskId, id, at }: Named): Promise<{ turnId: string; what: string }> {
  const read = readEventId(id);
  const turn = read === null ? null : await turnOf(calls, read.turnId);
  if (read === null || turn?.task_id !== taskId)
    throw calls.error("INVALID_REQUEST", `${at}: expected the id of an event of this session`);
  return read;
}

async function turnOf(calls: EngineCalls, turnId: string): Promise<TurnRecord | null> {
  try {
    return await calls.call<TurnRecord>("showTurn", { path: { turn_id: turnId } });
  } catch (error) {
    if (calls.described(error).code === "NOT_FOUND") return null;
    throw error;
  }
}

async function openPrompt(calls: EngineCalls, turnId: string, callId: string): Promise<string | null> {
  const { requests } = await calls.call<{ readonly requests: readonly PendingRequest[] }>("pending");
  const found = requests.find(
    ({ kind, turn_id: of, context }) => kind === "permission" && of === turnId && context["tool_call_id"] === callId,
  );
  return found?.request_id ?? null;
}

/** A prompt that was answered: the engine accepts the same answer again. */
async function earlierPrompt(
  calls: EngineCalls,
  { taskId, turnId, callId }: { readonly taskId: string; readonly turnId: string; readonly callId: string },
): Promise<string | null> {
  for await (const rows of calls.read({ taskId, turnId, live: false }))
    for (const row of rows) {
      if (row.type !== "hitl_request") continue;
      const { event, data } = eventOf(row);
      if (event === "hitl_request" && data.kind === "permission" && data.context["tool_call_id"] === callId)
        return data.request_id;
    }
  return null;
}
