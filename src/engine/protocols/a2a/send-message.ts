import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls, EventRow, Events } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import { A2aError, invalid } from "./a2a-error.ts";
import { turnOf, viewOf } from "./find-task.ts";
import type { SendParams } from "./requests.ts";
import { type GivenAnswer, answersOf, executionOf, newContextOf } from "./sent-content.ts";
import { TaskView } from "./task-view.ts";

/** A task, and what comes of it after what its view knows. */
export interface Going {
  readonly view: TaskView;
  readonly events: Events;
}

/** What a message leads to: a new task, or more of one that it answers or steers. */
export async function sendMessage(calls: EngineCalls, params: SendParams): Promise<Going> {
  const { message, configuration } = params;
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new A2aError("PUSH_NOTIFICATION_NOT_SUPPORTED", "configuration.taskPushNotificationConfig: not supported");
  if (message.taskId !== undefined && message.taskId !== "") return continued(calls, params, message.taskId);
  const contextId = message.contextId || newContextOf(message.messageId);
  const earlier = await sentBefore(calls, contextId, message.messageId);
  if (earlier !== null) return earlier;
  const waiting = message.contextId ? await waitingTurn(calls, contextId) : null;
  return waiting === null ? begun(calls, params, contextId) : continued(calls, params, waiting);
}

async function begun(calls: EngineCalls, params: SendParams, contextId: string): Promise<Going> {
  const { events } = await calls.send(executionOf(params, contextId), { groups: ["message"] });
  const read = events[Symbol.asyncIterator]();
  // A message that waits has no task before its turn has begun.
  const first = await read.next();
  const rows = first.done === true ? [] : first.value;
  const turnId = rows[0]?.turnId;
  if (turnId === undefined) throw calls.error("SERVICE_UNAVAILABLE", "the caller has left before the task began");
  return { view: new TaskView({ turnId, contextId }), events: rest(rows, read) };
}

async function* rest(
  rows: readonly EventRow[],
  read: AsyncIterator<readonly EventRow[]>,
): AsyncGenerator<readonly EventRow[]> {
  try {
    yield rows;
    for (;;) {
      const next = await read.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await read.return?.();
  }
}

/** A message that was sent before is not sent again. */
async function sentBefore(calls: EngineCalls, contextId: string, messageId: string): Promise<Going | null> {
  const fate = calls.sent(contextId, messageId);
  const turnId = fate?.turnId ?? null;
  return turnId === null ? null : going(calls, await turnOf(calls, turnId));
}

/** The turn of a context that waits for an answer. */
async function waitingTurn(calls: EngineCalls, contextId: string): Promise<string | null> {
  const last = await lastTurn(calls, contextId);
  return last?.state === "waiting_for_human" ? last.turn_id : null;
}

/** What goes on in a turn. */
export async function going(
  calls: EngineCalls,
  turn: { readonly turn_id: string; readonly task_id: string },
): Promise<Going> {
  const view = await viewOf(calls, turn);
  return { view, events: eventsAfter(calls, view) };
}

const eventsAfter = (calls: EngineCalls, { contextId, turnId, lastSeq }: TaskView): Events =>
  calls.read({ taskId: contextId, turnId, afterSeq: lastSeq, live: true, groups: ["message"] });

async function continued(calls: EngineCalls, params: SendParams, taskId: string): Promise<Going> {
  const { message } = params;
  const turn = await turnOf(calls, taskId);
  if (message.contextId && message.contextId !== turn.task_id)
    throw invalid("message.contextId: expected the context of the task");
  const earlier = await sentBefore(calls, turn.task_id, message.messageId);
  if (earlier !== null) return earlier;
  const view = await viewOf(calls, turn);
  const given = answersOf(message.parts);
  if (given.some(({ id }) => id !== null && !view.mayHaveAsked(id)))
    throw invalid("message.parts: expected the request_id or tool_call_id of a question or call of the task");
  if (view.state === "TASK_STATE_INPUT_REQUIRED" || given.some(({ id }) => id !== null))
    for (const answer of given) await give(calls, view, answer);
  else if (!isLastAnswer(given, view)) await steer(calls, params, turn);
  return { view, events: eventsAfter(calls, view) };
}

/** The last answer, sent again, is no message of its own. */
const isLastAnswer = ([first]: readonly GivenAnswer[], { lastAnswer }: TaskView): boolean =>
  first?.kind === "request" && first.answer === lastAnswer;

async function steer(calls: EngineCalls, params: SendParams, turn: ShownTurn): Promise<void> {
  if (turn.state === "completed" || turn.state === "errored") {
    const problem = "the task has ended; a message with its contextId begins another";
    throw new A2aError("UNSUPPORTED_OPERATION", `message.taskId: ${problem}`);
  }
  await calls.post({ ...executionOf(params, turn.task_id), when_busy: "steer" });
}

async function give(calls: EngineCalls, view: TaskView, answer: GivenAnswer): Promise<void> {
  if (answer.kind === "call") {
    await calls.call("respondTool", { body: answer.body });
    view.noteAnswered(answer.id);
    return;
  }
  const requestId = answer.id ?? view.blockers.requests[0]?.request_id;
  if (requestId === undefined)
    throw invalid(
      "message.parts: expected data with the tool_call_id and the output of the tool that the task waits for",
    );
  await calls.call("respond", { body: { request_id: requestId, answer: answer.answer } });
  view.noteAnswered(requestId);
}

/** Reads on until the task has ended or waits for an answer. `take` gets each batch. */
export async function advance(
  { view, events }: Going,
  take?: (rows: readonly EventRow[]) => Promise<void>,
): Promise<void> {
  if (view.rests) return;
  for await (const rows of events) {
    if (take !== undefined) await take(rows);
    else for (const row of rows) view.apply(row);
    if (view.rests) return;
  }
}
