import type { Request, RequestHandler, Response } from "express";
import { type ExecuteRequest, cancelRequest, hitlRespondRequest } from "../../contract/engine/requests.ts";
import { TURN_ID_HEADER } from "../../contract/engine/headers.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { UserContent } from "../attachments/user-content.ts";
import { EngineError } from "../engine-error.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { askedMessage, requestOf } from "./asked-message.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { type MessageStorage, bodyHash, storeMessage } from "./store-message.ts";
import { wantedEvents } from "./wanted-events.ts";
import { traceOf } from "../../shared/http/trace-request.ts";

const KEPT_MS = 24 * 3600 * 1000;

export interface TurnRouteParts {
  readonly runner: TurnRunner;
  readonly journal: EventJournal;
  readonly humanRequests: HumanRequests;
  readonly branches: Pick<TaskBranches, "lastAsked">;
  /** The turn that a client's `Idempotency-Key` started. */
  readonly idempotency: {
    find(key: string, notBefore: number): { readonly bodyHash: string; readonly turnId: string } | null;
    insert(key: string, call: { readonly bodyHash: string; readonly turnId: string }, createdAt: number): void;
  };
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  /** Stores the attachments of messages. */
  readonly attachments: MessageStorage;
  readonly followerLimit: FollowerLimit;
  readonly limits: StreamLimits;
}

/** The routes of turns and their human requests. */
export const turnRoutes = (parts: TurnRouteParts) =>
  ({
    execute: executeRoute(parts),
    cancel(request, response) {
      const { task_id: taskId } = validateBody(cancelRequest, request.body, response);
      response.json({ cancelled: parts.runner.cancel(taskId) });
    },
    respond(request, response) {
      const { request_id: requestId, answer } = validateBody(hitlRespondRequest, request.body, response);
      // The turn would go on with it.
      parts.runner.assertNotSuspended();
      parts.humanRequests.answer(requestId, answer);
      response.json({ request_id: requestId, status: "resolved" });
    },
    pending: (_request, response) => response.json({ requests: parts.humanRequests.pending() }),
  }) satisfies Record<string, RequestHandler>;

/** I1 store before wire: claims the task and starts the turn before a byte is sent; then the stream follows the journal. */
function executeRoute(parts: TurnRouteParts): RequestHandler {
  return async (request, response) => {
    const execution = validateBody(requestOf(request.body), request.body, response);
    const wants = wantedEvents(request);
    const { turn, earlier } = await startOrFind(parts, { request, response }, execution);
    const { turnId } = turn;
    if (execution.on_disconnect === "cancel" && earlier === null)
      cancelWhenLeft(parts.runner, response, { taskId: execution.task_id, turnId });
    const follow = async () => {
      const stream = EventStream.open(response, {
        withIds: wantsIds(request),
        limits: parts.limits,
        wants,
        headers: { [TURN_ID_HEADER]: turnId, ...(earlier !== null && { "Idempotent-Replayed": "true" }) },
        cut: () => parts.journal.cursor(),
      });
      await followEvents(stream, parts.journal, {
        taskId: execution.task_id,
        turnId,
        live: true,
        merge: earlier !== null,
        isRunning: () => parts.runner.isRunning(turnId),
      });
    };
    const following = follow();
    // The turn continues without its reader, but starts only after `started` has been written to it.
    turn.run();
    await following;
  };
}

export const wantsIds = (request: Request): boolean =>
  request.query["ids"] === "1" || (request.query["ids"] !== "0" && request.get("Last-Event-ID") !== undefined);

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** The turn that this call starts, or the one that an `earlier` call with the same key started. */
async function startOrFind(parts: TurnRouteParts, exchange: Exchange, execution: ExecuteRequest) {
  const key = exchange.request.get("Idempotency-Key");
  const hash = key === undefined ? "" : bodyHash(execution);
  const found = findEarlier(parts, key, hash);
  if (found !== null) return attach(parts, exchange, { turnId: found, taskId: execution.task_id });
  const { agent, task_id: taskId } = execution;
  if (agent !== undefined && !parts.hasAgent(agent))
    throw new EngineError("NOT_FOUND", `agent: there is no agent named ${agent}; GET /assets/catalog lists the agents`);
  // A text message starts its turn in the same tick, without waiting for files.
  const asked = askedMessage(execution, parts);
  let message: UserContent;
  if (asked.kind === "ready") ({ message } = asked);
  else {
    parts.runner.assertStartable(taskId);
    message = await storeMessage(asked.message, parts.attachments);
    // A repeated call may have started the turn meanwhile.
    const meanwhile = findEarlier(parts, key, hash);
    if (meanwhile !== null) return attach(parts, exchange, { turnId: meanwhile, taskId });
  }
  const storeKey = (turnId: string) => {
    if (key !== undefined) parts.idempotency.insert(key, { bodyHash: hash, turnId }, Date.now());
  };
  const from = { kind: "call", ...traceOf(exchange.response) } as const;
  return { turn: parts.runner.start({ ...execution, message }, storeKey, from), earlier: null };
}

function attach(
  { followerLimit }: TurnRouteParts,
  { response }: Exchange,
  { turnId, taskId }: { readonly turnId: string; readonly taskId: string },
): { readonly turn: StartedTurn; readonly earlier: string } {
  followerLimit.acquire(taskId, response);
  return { turn: { turnId, run: () => undefined }, earlier: turnId };
}

/** The turn that an earlier call with the same key and body started. */
export function findEarlier(
  { idempotency }: Pick<TurnRouteParts, "idempotency">,
  key: string | undefined,
  hash: string,
): string | null {
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 255)
    throw new EngineError("INVALID_REQUEST", "Idempotency-Key: expected 1 to 255 characters");
  const earlier = idempotency.find(key, Date.now() - KEPT_MS);
  if (earlier === null) return null;
  if (earlier.bodyHash === hash) return earlier.turnId;
  throw new EngineError("IDEMPOTENCY_CONFLICT", "the Idempotency-Key was used with another body");
}

function cancelWhenLeft(
  runner: TurnRunner,
  response: Response,
  { taskId, turnId }: { taskId: string; turnId: string },
): void {
  response.once("close", () => {
    if (!response.writableFinished) runner.cancel(taskId, { turnId, reason: "the client left" });
  });
}
