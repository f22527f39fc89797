import type { RequestHandler, Response } from "express";
import { MESSAGE_ID_HEADER, TURN_ID_HEADER } from "../../contract/engine/headers.ts";
import type { WhenBusy } from "../../contract/engine/when-busy.ts";
import type { SentMessage as Sent } from "../../contract/engine/inbox.ts";
import { logStep } from "../../shared/log-step.ts";
import type { Logger } from "../../shared/logger.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { EventRow } from "../turns/event-journal.ts";
import { removed } from "../turns/inbox.ts";
import { requestOf, withoutWaiting } from "./asked-message.ts";
import { awaitTurn } from "./await-turn.ts";
import { endBegun } from "./end-when-left.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { sentMessage, wantsStream } from "./sent-messages.ts";
import { type Answer, type SendingCall, type StartParts, startOrFind } from "./start-or-find.ts";
import { type Wanted, wantedEvents, wantsIds } from "./wanted-events.ts";

export interface ExecuteParts extends StartParts {
  /** The policy's `when_busy`, of calls that name none. */
  readonly whenBusy: WhenBusy;
  readonly limits: StreamLimits;
  readonly logger: Logger;
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
      : sentMessage(execution, {
          fallback: parts.whenBusy,
          isReader: wantsStream(request, { waits: true }),
          key: request.get("Idempotency-Key"),
        });
    const exchange = { request, response, wants, message };
    const answer = await startOrFind(parts, exchange, execution);
    logStep(parts.logger, "turn_stored");
    if (execution.on_disconnect === "cancel")
      response.once("close", () => {
        if (!response.writableFinished) endBegun(parts, execution.task_id, answer);
      });
    if (answer.kind === "waiting") return answerWaiting(parts, exchange, answer);
    const { turnId } = answer.turn;
    if (message !== null && !wantsStream(request, { waits: false })) {
      answer.turn.run();
      sendSent(response, { message_id: message.messageId, position: 0, turn_id: turnId });
      return undefined;
    }
    const earlier = answer.kind === "earlier";
    const headers = { [TURN_ID_HEADER]: turnId, ...(earlier && { "Idempotent-Replayed": "true" }) };
    const afterSeq = earlier ? answer.afterSeq : 0;
    const turn = { taskId: execution.task_id, turnId, afterSeq, merge: earlier };
    const following = sentAtOnce(response, () => followTurn(parts, openStream(parts, exchange, headers), turn));
    // The turn continues without its reader, but starts only after `started` has been sent to it.
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

/** Sends what `write` writes in one packet, and at once. Otherwise Node.js would first run the turn up to its first wait. */
function sentAtOnce<T>(response: Response, write: () => T): T {
  response.cork();
  try {
    return write();
  } finally {
    response.uncork();
  }
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

interface Exchange extends SendingCall {
  readonly wants: Wanted;
}
