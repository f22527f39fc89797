import type { Request, RequestHandler, Response } from "express";
import { MESSAGE_ID_HEADER, TURN_ID_HEADER } from "../../contract/engine/headers.ts";
import type { WhenBusy } from "../../contract/engine/when-busy.ts";
import type { SentMessage as Sent } from "../../contract/engine/inbox.ts";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import { traceOf } from "../../shared/http/trace-request.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { UserContent } from "../attachments/user-content.ts";
import { EngineError } from "../engine-error.ts";
import { checkClientTools } from "../tools/client-tools.ts";
import type { EventJournal, EventRow } from "../turns/event-journal.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import { type Inbox, removed } from "../turns/inbox.ts";
import type { MessageIntake, SentMessage } from "../turns/message-intake.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { askedMessage, requestOf, withoutWaiting } from "./asked-message.ts";
import { type AnswerStart, answerStart, awaitTurn } from "./await-turn.ts";
import { type StartedTurns, findEarlier } from "./earlier-turn.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { sentMessage, wantsStream } from "./sent-messages.ts";
import { type MessageStorage, bodyHash, storeMessage } from "./store-message.ts";
import { assertMayStart } from "./turn-limit.ts";
import { type Wanted, wantedEvents, wantsIds } from "./wanted-events.ts";

export interface ExecuteParts {
  readonly runner: TurnRunner;
  readonly intake: MessageIntake;
  readonly branches: Pick<TaskBranches, "lastAsked">;
  readonly inbox: Inbox;
  readonly journal: EventJournal;
  /** The policy's `when_busy`, of calls that name none. */
  readonly whenBusy: WhenBusy;
  readonly idempotency: StartedTurns;
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  /** Whether a built-in tool or one of the catalog has this name. */
  readonly hasTool: (name: string) => boolean;
  /** Stores the attachments of messages. */
  readonly attachments: MessageStorage;
  readonly followerLimit: FollowerLimit;
  readonly limits: StreamLimits;
}

/**
 * I1 store before wire: the message is stored, as a turn or to wait for one, before a byte is sent; then the stream
 * follows the journal.
 */
export function executeRoute(parts: ExecuteParts): RequestHandler {
  return async (request, response) => {
    const execution = validateBody(requestOf(request.body), request.body, response);
    const wants = wantedEvents(request);
    const message = execution.regenerate
      ? withoutWaiting(execution)
      : sentMessage(execution, request, { fallback: parts.whenBusy });
    const exchange = { request, response, wants, message };
    const answer = await startOrFind(parts, exchange, execution);
    if (execution.on_disconnect === "cancel" && answer.kind !== "earlier")
      cancelWhenLeft(parts, response, { taskId: execution.task_id, answer });
    if (answer.kind === "waiting") return answerWaiting(parts, exchange, answer);
    const { turnId } = answer.turn;
    if (message !== null && !wantsStream(request, { waits: false })) {
      answer.turn.run();
      sendSent(response, { message_id: message.messageId, position: 0, turn_id: turnId });
      return undefined;
    }
    const earlier = answer.kind === "earlier";
    const stream = openStream(parts, exchange, {
      [TURN_ID_HEADER]: turnId,
      ...(earlier && { "Idempotent-Replayed": "true" }),
    });
    const afterSeq = earlier ? answer.afterSeq : 0;
    const following = followTurn(parts, stream, { taskId: execution.task_id, turnId, afterSeq, merge: earlier });
    // The turn continues without its reader, but starts only after `started` has been written to it.
    answer.turn.run();
    return following;
  };
}

/** The answer to a message that waits: its place, or the stream of the turn that will take it. */
async function answerWaiting(
  parts: ExecuteParts,
  exchange: Exchange,
  { message, position }: Extract<Answer, { kind: "waiting" }>,
): Promise<void> {
  const { request, response } = exchange;
  const { taskId, messageId } = message;
  if (!wantsStream(request, { waits: true })) {
    sendSent(response, { message_id: messageId, position, turn_id: null });
    return;
  }
  parts.followerLimit.acquire(taskId, response);
  const stream = openStream(parts, exchange, {});
  // From before the turn begins, as `followTurn` does after it.
  const forget = parts.journal.noteReader({ taskId, wants: (type) => stream.wants(type) });
  try {
    const end = await awaitTurn(message, stream, parts);
    switch (end.kind) {
      case "taken":
        return await followTurn(parts, stream, { ...end, taskId, merge: true });
      case "removed":
        if (end.event !== null) stream.write([end.event, removalError(end.event)]);
        return stream.end();
      case "left":
        return undefined;
      default:
        return end satisfies never;
    }
  } finally {
    forget();
  }
}

/** The error that ends a stream whose message was removed. It has the stamp of the removal. */
function removalError(event: EventRow): EventRow {
  const { message_id: _, ...stamp } = JSON.parse(event.data) as Record<string, unknown>;
  const { code, message } = removed();
  const data = JSON.stringify({ error: code, message, ...stamp });
  return { ...event, type: "error", data };
}

function openStream(
  { journal, limits }: ExecuteParts,
  { request, response, wants, message }: Exchange,
  headers: Readonly<Record<string, string>>,
): EventStream {
  return EventStream.open(response, {
    withIds: wantsIds(request),
    limits,
    wants,
    headers: { ...(message !== null && { [MESSAGE_ID_HEADER]: encodeURIComponent(message.messageId) }), ...headers },
    cut: () => journal.cursor(),
  });
}

const followTurn = (
  { journal, runner }: ExecuteParts,
  stream: EventStream,
  turn: { readonly taskId: string; readonly turnId: string; readonly afterSeq: number; readonly merge: boolean },
): Promise<void> =>
  followEvents(stream, journal, { ...turn, live: true, isRunning: () => runner.isRunning(turn.turnId) });

const sendSent = (response: Response, sent: Sent): void => {
  response.status(202).json(sent);
};

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly wants: Wanted;
  /** Null for one that has no id and does not wait. */
  readonly message: SentMessage | null;
}

type Answer =
  | { readonly kind: "started"; readonly turn: StartedTurn }
  /** An earlier call with the same key or message started the turn. */
  | { readonly kind: "earlier"; readonly turn: StartedTurn; readonly afterSeq: number }
  | { readonly kind: "waiting"; readonly message: SentMessage; readonly position: number };

/** The turn that this call or an earlier one starts, or the message that waits for its turn. */
async function startOrFind(parts: ExecuteParts, exchange: Exchange, execution: ExecuteRequest): Promise<Answer> {
  const { intake } = parts;
  const key = exchange.request.get("Idempotency-Key");
  const hash = key === undefined ? "" : bodyHash(execution);
  const found = findAnswer(parts, exchange, { key, hash });
  if (found !== null) return found;
  const { agent, task_id: taskId } = execution;
  assertMayStart(parts.runner, exchange.request, taskId);
  if (agent !== undefined && !parts.hasAgent(agent))
    throw new EngineError("NOT_FOUND", `agent: there is no agent named ${agent}; GET /assets/catalog lists the agents`);
  checkClientTools(execution.client_tools ?? [], parts.hasTool);
  // A text message starts its turn in the same tick, without waiting for files.
  const asked = askedMessage(execution, parts);
  let content: UserContent;
  if (asked.kind === "ready") content = asked.message;
  else {
    intake.assertOpenTo(exchange.message ?? { taskId, whenBusy: "reject" });
    content = await storeMessage(asked.message, parts.attachments);
    // A repeated call may have started the turn meanwhile.
    const meanwhile = findAnswer(parts, exchange, { key, hash });
    if (meanwhile !== null) return meanwhile;
    // Other calls may have started turns meanwhile.
    assertMayStart(parts.runner, exchange.request, taskId);
  }
  const storeKey = (turnId: string) => {
    if (key !== undefined) parts.idempotency.insert(key, { bodyHash: hash, turnId }, Date.now());
  };
  const from = { kind: "call", ...traceOf(exchange.response) } as const;
  const { when_busy: _, interrupt: _interrupt, message_id: _id, ...rest } = execution;
  const request = { ...rest, message: content };
  const { message } = exchange;
  if (message === null) return { kind: "started", turn: intake.start(request, { alongside: storeKey, from }) };
  const sent = intake.send(request, message, { alongside: storeKey, from });
  return sent.kind === "started" ? sent : { ...sent, message };
}

/** What an earlier call with the same key or message led to. */
function findAnswer(
  parts: ExecuteParts,
  { message, response }: Exchange,
  { key, hash }: { readonly key: string | undefined; readonly hash: string },
): Answer | null {
  const { journal, inbox, followerLimit } = parts;
  const earlier = (taskId: string, { turnId, afterSeq }: AnswerStart): Answer => {
    followerLimit.acquire(taskId, response);
    return { kind: "earlier", turn: { turnId, run: () => undefined }, afterSeq };
  };
  const byKey = findEarlier(parts.idempotency, key, hash);
  if (byKey !== null) return earlier(parts.runner.taskOf(byKey) ?? "", { turnId: byKey, afterSeq: 0 });
  const fate = message === null ? null : inbox.find(message);
  if (message === null || fate === null) return null;
  const { taskId, messageId } = message;
  if (fate.state === "removed") throw removed();
  if (fate.state === "waiting") return { kind: "waiting", message, position: inbox.position(taskId, fate.id) };
  return earlier(taskId, answerStart(journal, { turnId: fate.turnId ?? "", messageId }));
}

/** Ends what a client started that leaves: its message if that waits, its turn if that runs. */
function cancelWhenLeft(
  { runner, inbox, journal }: ExecuteParts,
  response: Response,
  { taskId, answer }: { readonly taskId: string; readonly answer: Exclude<Answer, { kind: "earlier" }> },
): void {
  const cancel = (turnId: string) => runner.cancel(taskId, { turnId, reason: "the client left" });
  const leave = (message: SentMessage) => {
    const fate = inbox.find(message);
    if (fate?.state === "waiting") inbox.remove(taskId, message.messageId);
    // A turn that the message entered is another client's.
    else if (fate?.turnId && answerStart(journal, { ...message, turnId: fate.turnId }).afterSeq === 0)
      cancel(fate.turnId);
  };
  response.once("close", () => {
    if (response.writableFinished) return;
    if (answer.kind === "started") cancel(answer.turn.turnId);
    else leave(answer.message);
  });
}
