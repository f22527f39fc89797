import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import type { TaskRecord } from "../../../contract/engine/task.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls, EventRow, StartedMessage } from "../engine-calls.ts";
import type { ProtocolCall, ProtocolHandler } from "../protocol.ts";
import { lastTurn } from "../last-turn.ts";
import { answersOf, deliver } from "./ui-answers.ts";
import { type ChatRequest, contentOf, readChat, resumeOf } from "./chat-request.ts";
import { findPlace, sentIds } from "./placed-message.ts";
import { GROUPS, streamTurn } from "./stream-turn.ts";

/** What a page sends: a message, an edited one, one to answer again, or answers to what the agent waits for. */
export const sendChat: ProtocolHandler = async (call) => {
  const chat = readChat(call.calls, call.request.body);
  switch (chat.kind) {
    case "submit":
      return submit(call, chat, { ...executionOf(call, chat), message_id: chat.message.id });
    case "edit":
      return edit(call, chat);
    case "regenerate":
      return regenerate(call, chat);
    case "answer":
      return answer(call, chat);
    default:
      return chat.kind satisfies never;
  }
};

/** The engine checks its own fields. */
const executionOf = ({ calls }: ProtocolCall, chat: ChatRequest): ExecuteRequest =>
  ({ ...chat.options, task_id: chat.taskId, message: contentOf(calls, chat) }) as ExecuteRequest;

async function submit(call: ProtocolCall, chat: ChatRequest, execution: ExecuteRequest): Promise<void> {
  await follow(call, chat, await call.calls.send(execution, { groups: GROUPS }));
}

async function follow(
  call: ProtocolCall,
  { taskId, endsWhenLeft }: ChatRequest,
  { events, turnId, leave: whenLeft }: StartedMessage,
): Promise<void> {
  await streamTurn(call, { taskId, turnId, events, ...(endsWhenLeft && { whenLeft }) });
}

/** A conversation is taken back to before the message. The edit has an id of its own, so that a retry runs once. */
async function edit(call: ProtocolCall, chat: ChatRequest): Promise<void> {
  const { calls } = call;
  const execution = executionOf(call, chat);
  const { known, next } = sentIds(calls, chat);
  const placed = await findPlace(calls, chat, { turnId: known?.turnId ?? null, text: null });
  if (placed === null)
    throw calls.error("NOT_FOUND", "messageId: the conversation has no such message; load its messages again");
  if (known !== null && placed.isOfLastTurn) {
    const repeated = await sentBefore(calls, { ...execution, message_id: known.id });
    if (repeated !== null) return follow(call, chat, repeated);
  }
  await rewind(call, chat.taskId, placed.message.message_id, { keep: false });
  return submit(call, chat, { ...execution, message_id: next });
}

/** The turn of a message that was sent with this id and body. Null for another body. */
async function sentBefore(calls: EngineCalls, execution: ExecuteRequest): Promise<StartedMessage | null> {
  try {
    return await calls.send(execution, { groups: GROUPS });
  } catch (error) {
    if (calls.described(error).code === "IDEMPOTENCY_CONFLICT") return null;
    throw error;
  }
}

/** A message that never arrived is sent. */
async function regenerate(call: ProtocolCall, chat: ChatRequest): Promise<void> {
  const { message, ...options } = executionOf(call, chat);
  const { known } = sentIds(call.calls, chat);
  const text = typeof message === "string" ? message : null;
  const placed = await findPlace(call.calls, chat, { turnId: known?.turnId ?? null, text });
  if (placed === null) return submit(call, chat, { ...options, message, message_id: chat.message.id });
  if (!placed.isLast) await rewind(call, chat.taskId, placed.message.message_id, { keep: true });
  return submit(call, chat, { ...options, regenerate: true });
}

const rewind = ({ calls }: ProtocolCall, taskId: string, message: string, { keep }: { readonly keep: boolean }) =>
  calls.call<TaskRecord>("rewindTask", { path: { task_id: taskId }, body: { to_message: message, keep } });

/** Answers what the turn of a message waits for, and streams its rest. */
async function answer(call: ProtocolCall, { taskId, message, endsWhenLeft }: ChatRequest): Promise<void> {
  const { calls } = call;
  const turnId = await turnOf(call, taskId, message.id);
  const from = resumeOf(message) ?? { seq: await lastSeq(call, taskId, turnId), isAtStep: false };
  const answers = answersOf(message.parts);
  const isUnanswered = (await deliver(calls, taskId, answers)) === 0;
  const events = calls.read({ taskId, turnId, live: true, groups: GROUPS });
  const whenLeft = () => calls.cancelTurn(taskId, turnId);
  const left = endsWhenLeft && { whenLeft };
  await streamTurn(call, { taskId, turnId, events, from, answers, isUnanswered, ...left });
}

/** A message is named for its turn. */
async function turnOf({ calls }: ProtocolCall, taskId: string, messageId: string): Promise<string> {
  const [turnId = ""] = messageId.split(".");
  if (turnId.startsWith("turn_")) {
    const turn = await calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
    if (turn.task_id === taskId) return turn.turn_id;
  } else {
    const last = await lastTurn(calls, taskId);
    if (last !== null) return last.turn_id;
  }
  throw calls.error("NOT_FOUND", "messages: the chat has no turn that the answers belong to");
}

/** The last event of a turn, for a client that does not say what it has. */
async function lastSeq({ calls }: ProtocolCall, taskId: string, turnId: string): Promise<number> {
  let last: EventRow | undefined;
  for await (const rows of calls.read({ taskId, turnId, live: false })) last = rows.at(-1) ?? last;
  return last?.seq ?? 0;
}
