import type { Request, RequestHandler, Response } from "express";
import { BASE_URL_HEADER } from "../../contract/engine/headers.ts";
import type { EngineRouteName } from "../../contract/engine/routes.ts";
import type { WhenBusy } from "../../contract/engine/when-busy.ts";
import { inBackground } from "../../shared/background.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { EngineError } from "../engine-error.ts";
import type { EngineCalls, Events, MessageFate } from "../protocols/engine-calls.ts";
import type { Followers } from "../sleep/followers.ts";
import { removed } from "../turns/inbox.ts";
import { requestOf, withoutWaiting } from "./asked-message.ts";
import { answerStart, awaitTurn } from "./await-turn.ts";
import { endBegun } from "./end-when-left.ts";
import { EventBatches } from "./event-batches.ts";
import type { StreamLimits } from "./event-stream.ts";
import { type Following, followEvents } from "./follow-events.ts";
import { assertPermitted, callRoute, innerRequest } from "./inner-call.ts";
import { protocolFiles } from "./protocol-files.ts";
import { type ProtocolReadParts, protocolReads } from "./protocol-reads.ts";
import { sentMessage } from "./sent-messages.ts";
import { type Answer, type SendingCall, type StartParts, startOrFind } from "./start-or-find.ts";
import { withGroups } from "./wanted-events.ts";

export interface EngineCallParts extends StartParts, ProtocolReadParts {
  readonly taskList: StartParts["taskList"] & ProtocolReadParts["taskList"];
  readonly whenBusy: WhenBusy;
  readonly limits: StreamLimits;
  readonly followers: Followers;
  /** The handlers of the engine's own interface. */
  readonly handlers: Readonly<Partial<Record<EngineRouteName, RequestHandler>>>;
  /** Keeps a call of a route to the tasks of its key. */
  readonly within: (name: EngineRouteName) => RequestHandler;
  readonly toEngineError: (error: unknown) => EngineError;
}

/** The operations of the engine's interface for a call of another protocol. */
export function engineCalls(parts: EngineCallParts, request: Request, response: Response): EngineCalls {
  const left = new AbortController();
  if (response.closed) left.abort();
  else response.once("close", () => left.abort());
  const gone = left.signal;
  const sendAs = (body: object, { reads }: { readonly reads: boolean }) =>
    sendMessage(parts, { request: innerRequest(request, { body }), response }, { reads });
  return {
    gone,
    baseUrl: request.get(BASE_URL_HEADER) ?? `http://${request.get("Host") ?? ""}`,
    limits: parts.limits,
    validate: (schema, body) => validateBody(schema, body, response),
    error: (code, message, details) => new EngineError(code, message, details),
    described(error) {
      const { code, message, status, details } = parts.toEngineError(error);
      return { code, message, status, details };
    },
    async send(execution, { groups = [] } = {}) {
      const { answer, message } = await sendAs(execution, { reads: true });
      const batches = new EventBatches({ gone, wanted: withGroups(groups), merge: true });
      const taskId = execution.task_id;
      const turnId = answer.kind === "waiting" ? null : answer.turn.turnId;
      const isReplayed = answer.kind === "earlier";
      if (answer.kind === "waiting") {
        parts.followerLimit.acquire(taskId, response);
        feed(batches, followWaiting(parts, batches, { answer, taskId }));
      } else {
        const from = { taskId, turnId: answer.turn.turnId, afterSeq: isReplayed ? answer.afterSeq : 0 };
        feed(batches, followTurn(parts, batches, { ...from, merge: isReplayed }));
        // The reader is there from the first event on.
        answer.turn.run();
      }
      const leave = () => endBegun(parts, taskId, answer);
      return { turnId, messageId: message?.messageId ?? null, isReplayed, events: batches, leave };
    },
    async post(execution) {
      const { answer, message } = await sendAs(execution, { reads: false });
      if (answer.kind === "waiting")
        return { message_id: answer.message.messageId, position: answer.position, turn_id: null };
      answer.turn.run();
      return { message_id: message?.messageId ?? "", position: 0, turn_id: answer.turn.turnId };
    },
    sent: (taskId, messageId) => fateOf(parts, { request, response }, { taskId, messageId }),
    read: (which) => readEvents(parts, { request, response, gone }, which),
    ...protocolReads(parts, request),
    ...protocolFiles(parts, request, response),
    async call(name, call = {}) {
      return (await callRoute(parts, name, innerRequest(request, call))) as never;
    },
  };
}

async function sendMessage(
  parts: EngineCallParts,
  { request, response }: Omit<SendingCall, "message">,
  { reads }: { readonly reads: boolean },
): Promise<{ readonly answer: Answer; readonly message: SendingCall["message"] }> {
  assertPermitted(request, "execute");
  const execution = validateBody(requestOf(request.body), request.body, response);
  bindTo(parts, request, response);
  const key = request.get("Idempotency-Key");
  const message = execution.regenerate
    ? withoutWaiting(execution)
    : sentMessage(execution, { fallback: parts.whenBusy, isReader: reads, key });
  return { answer: await startOrFind(parts, { request, response, message }, execution), message };
}

/** Throws for a task that the caller's key is not bound to. */
function bindTo(
  { within }: Pick<EngineCallParts, "within">,
  request: Request,
  response: Response,
  name: EngineRouteName = "execute",
): void {
  within(name)(request, response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
}

function fateOf(
  parts: EngineCallParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  message: { readonly taskId: string; readonly messageId: string },
): MessageFate | null {
  const inner = innerRequest(request, { path: { task_id: message.taskId } });
  assertPermitted(inner, "listInbox");
  bindTo(parts, inner, response, "listInbox");
  const fate = parts.inbox.find(message);
  if (fate === null) return null;
  const { state, turnId } = fate;
  if (turnId === null) return { state, turnId, afterSeq: 0 };
  return { state, turnId, afterSeq: answerStart(parts.journal, { ...message, turnId }).afterSeq };
}

function readEvents(
  parts: EngineCallParts,
  { request, response, gone }: { readonly request: Request; readonly response: Response; readonly gone: AbortSignal },
  { taskId, turnId, afterSeq = 0, live, groups = [], merge = true }: Parameters<EngineCalls["read"]>[0],
): Events {
  const query = { ...(taskId !== undefined && { task_id: taskId }), ...(turnId !== undefined && { turn_id: turnId }) };
  const inner = innerRequest(request, { query });
  assertPermitted(inner, "replay");
  bindTo(parts, inner, response, "replay");
  const task = taskId ?? (turnId === undefined ? null : parts.runner.taskOf(turnId));
  if (task === null) throw new EngineError("NOT_FOUND", "no turn has this turn_id");
  if (live) parts.followerLimit.acquire(task, response);
  const batches = new EventBatches({ gone, wanted: withGroups(groups), merge });
  // As a replay that follows no single turn: it keeps no engine awake, and ends when the engine sleeps.
  if (live && turnId === undefined)
    parts.followers.add(response, {
      socket: request.socket,
      get isIdle() {
        return batches.isRead && parts.journal.flush();
      },
      sleep: () => batches.end(),
    });
  const isRunning = turnId === undefined ? null : () => parts.runner.isRunning(turnId);
  feed(batches, followEvents(batches, parts.journal, { taskId: task, turnId, afterSeq, live, merge, isRunning }));
  return batches;
}

const followTurn = (
  { journal, runner }: EngineCallParts,
  batches: EventBatches,
  turn: Pick<Following, "taskId" | "afterSeq" | "merge"> & { readonly turnId: string },
): Promise<void> =>
  followEvents(batches, journal, { ...turn, live: true, isRunning: () => runner.isRunning(turn.turnId) });

/** Follows the turn that takes a waiting message. Fails with `MESSAGE_REMOVED` for one that was removed. */
async function followWaiting(
  parts: EngineCallParts,
  batches: EventBatches,
  { answer, taskId }: { readonly answer: Extract<Answer, { kind: "waiting" }>; readonly taskId: string },
): Promise<void> {
  // From before the turn begins, as `followTurn` does after it.
  const forget = parts.journal.noteReader({ taskId, wants: (type) => batches.wants(type) });
  try {
    const end = await awaitTurn(answer.message, batches, parts);
    if (end.kind === "removed") throw removed();
    if (end.kind === "taken") await followTurn(parts, batches, { ...end, taskId, merge: true });
  } finally {
    forget();
  }
}

/** What ends the reading ends the batches: its end, or its failure. */
const feed = (batches: EventBatches, reading: Promise<void>): void =>
  inBackground(
    "events for another protocol",
    reading.then(
      () => batches.end(),
      (error: unknown) => batches.fail(error),
    ),
  );
