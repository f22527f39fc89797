import type { PendingToolCall } from "../../../contract/engine/client-tool.ts";
import type { ContextItem } from "../../../contract/engine/turn-context.ts";
import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls, Events } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import { isMessageOf } from "../turn-message.ts";
import { answerTurn } from "./given-answers.ts";
import { findTask, repeatedTurn } from "./match-task.ts";
import { type SentConversation, textOf } from "./sent-conversation.ts";
import type { Ask } from "./turn-pieces.ts";

/** An answer that is to be read. */
export interface Begun {
  readonly kind: "answer";
  readonly taskId: string;
  /** Null while the message waits for the turn before it. */
  readonly turnId: string | null;
  /** The answer begins after this event of its turn. */
  readonly afterSeq: number;
  readonly events: Events;
  /** Ends what the call has begun, or reads. */
  readonly leave: () => unknown;
}

export interface AskedAgain {
  readonly kind: "ask_again";
  readonly taskId: string;
  readonly ask: Ask;
}

/** Where the conversation is: a task that the client names, or the one whose messages it sends. */
export type Place = { readonly kind: "named"; readonly taskId: string } | { readonly kind: "by_messages" };

type Options = Omit<ExecuteRequest, "task_id" | "message" | "context">;

/** Answers what the task's turn waits for, or sends the message. A repeated call gets the answer of the first one. */
export async function beginAnswer(
  calls: EngineCalls,
  sent: SentConversation,
  {
    place,
    options,
    context,
    isRepeated,
  }: {
    readonly place: Place;
    readonly options: Options;
    readonly context: readonly ContextItem[];
    readonly isRepeated: boolean;
  },
): Promise<Begun | AskedAgain> {
  const text = textOf(sent.parts);
  const earlier = calls.earlierTurn();
  if (earlier !== null) {
    const { message } = await calls.call<ShownTurn>("showTurn", { path: { turn_id: earlier } });
    if (!isMessageOf(text, message))
      throw calls.error("IDEMPOTENCY_CONFLICT", "the Idempotency-Key was used with another message");
    return readAnswer(calls, { turnId: earlier, afterSeq: 0 });
  }
  const found =
    place.kind === "named"
      ? ({ kind: "task", taskId: place.taskId, context: [] } as const)
      : ((await taskOfOutputs(calls, sent)) ?? (await findTask(calls, { history: sent.history, text, isRepeated })));
  if (found.kind === "turn") return readAnswer(calls, { turnId: found.turnId, afterSeq: 0 });
  const { taskId } = found;
  const turn = await lastTurn(calls, taskId);
  const answered = turn === null ? null : await answerTurn(calls, turn, { ...sent, text });
  if (turn !== null && answered?.kind === "goes_on")
    return readAnswer(calls, { turnId: turn.turn_id, afterSeq: answered.afterSeq });
  if (answered?.kind === "ask_again") return { kind: "ask_again", taskId, ask: answered.ask };
  if (sent.outputs.length > 0 || sent.approvals.length > 0)
    throw calls.error("INVALID_REQUEST", "input: no turn waits for these outputs");
  if (isRepeated && place.kind === "named") {
    const repeated = await repeatedTurn(calls, taskId, text);
    if (repeated !== null) return readAnswer(calls, { turnId: repeated, afterSeq: 0 });
  }
  return sendMessage(calls, sent, { ...options, task_id: taskId, context: [...found.context, ...context] });
}

/** The task of the calls whose results a client sends. Null without any, or when they are not open. */
async function taskOfOutputs(calls: EngineCalls, { outputs }: Pick<SentConversation, "outputs">) {
  if (outputs.length === 0) return null;
  const { calls: open } = await calls.call<{ readonly calls: readonly PendingToolCall[] }>("pendingTools");
  const ids = new Set(outputs.map(({ callId }) => callId));
  const call = open.find((one) => ids.has(one.tool_call_id));
  return call === undefined ? null : ({ kind: "task", taskId: call.task_id, context: [] } as const);
}

async function sendMessage(
  calls: EngineCalls,
  { parts }: Pick<SentConversation, "parts">,
  execution: ExecuteRequest,
): Promise<Begun> {
  const [only] = parts;
  const message = parts.length === 1 && only?.type === "text" ? only.text : [...parts];
  const { turnId, events, leave } = await calls.send({ ...execution, message });
  return { kind: "answer", taskId: execution.task_id, turnId, afterSeq: 0, events, leave };
}

/** Reads an answer of a turn, to its end. */
export async function readAnswer(
  calls: EngineCalls,
  { turnId, afterSeq }: { readonly turnId: string; readonly afterSeq: number },
): Promise<Begun> {
  const { task_id: taskId } = await calls.call<{ readonly task_id: string }>("showTurn", { path: { turn_id: turnId } });
  const leave = () => calls.cancelTurn(taskId, turnId);
  return { kind: "answer", taskId, turnId, afterSeq, events: calls.read({ turnId, live: true }), leave };
}
