import type { Request, RequestHandler, Response } from "express";
import { sha256 } from "../../contract/api-keys.ts";
import {
  type ExecuteRequest,
  TURN_ID_HEADER,
  cancelRequest,
  executeRequest,
  hitlRespondRequest,
} from "../../contract/engine-api.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { EngineError } from "../engine-error.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { FollowerSeats } from "../turns/follower-seats.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";

const KEPT_MS = 24 * 3600 * 1000;

export interface ExecuteParts {
  readonly runner: TurnRunner;
  readonly journal: EventJournal;
  /** The turn that a client's `Idempotency-Key` started. */
  readonly idempotency: {
    find(key: string, notBefore: number): { readonly bodyHash: string; readonly turnId: string } | null;
    insert(key: string, call: { readonly bodyHash: string; readonly turnId: string }, createdAt: number): void;
  };
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  readonly seats: FollowerSeats;
  readonly limits: StreamLimits;
}

export const cancelRoute =
  (runner: TurnRunner): RequestHandler =>
  (request, response) => {
    const { task_id: taskId } = validateBody(cancelRequest, request.body, response);
    response.json({ cancelled: runner.cancel(taskId) });
  };

export const respondRoute =
  (desk: HumanRequests): RequestHandler =>
  (request, response) => {
    const { request_id: requestId, answer } = validateBody(hitlRespondRequest, request.body, response);
    desk.answer(requestId, answer);
    response.json({ request_id: requestId, status: "resolved" });
  };

export const pendingRoute =
  (desk: HumanRequests): RequestHandler =>
  (_request, response) => {
    response.json({ requests: desk.pending() });
  };

/** I1 store before wire: claims the task and starts the turn before a byte is sent; then the stream follows the journal. */
export function executeRoute(parts: ExecuteParts): RequestHandler {
  return async (request, response) => {
    const execution = validateBody(executeRequest, request.body, response);
    const earlier = findEarlier(parts, request, execution);
    if (earlier !== null) parts.seats.take(execution.task_id, response);
    // An earlier call with the same key started the turn.
    const turn = earlier === null ? begin(parts, request, execution) : { turnId: earlier, run: () => undefined };
    const { turnId } = turn;
    if (execution.on_disconnect === "cancel" && earlier === null)
      cancelWhenLeft(parts.runner, response, { taskId: execution.task_id, turnId });
    const opening = EventStream.open(response, {
      withIds: wantsIds(request),
      limits: parts.limits,
      headers: { [TURN_ID_HEADER]: turnId, ...(earlier !== null && { "Idempotent-Replayed": "true" }) },
      cut: () => parts.journal.cursor(),
    });
    const following = opening.then((stream) =>
      followEvents(stream, parts.journal, {
        taskId: execution.task_id,
        turnId,
        live: true,
        merge: earlier !== null,
        isRunning: () => parts.runner.isRunning(turnId),
      }),
    );
    // The turn continues without its reader, but starts only after `started` has been written to it.
    await Promise.all([opening.finally(() => turn.run()), following]);
  };
}

export const wantsIds = (request: Request): boolean =>
  request.query["ids"] === "1" || request.get("Last-Event-ID") !== undefined;

function begin(
  { runner, idempotency, hasAgent }: ExecuteParts,
  request: Request,
  execution: ExecuteRequest,
): StartedTurn {
  if (execution.agent !== undefined && !hasAgent(execution.agent))
    throw new EngineError("NOT_FOUND", `agent: there is no agent named ${execution.agent}`);
  const key = request.get("Idempotency-Key");
  return runner.start(execution, (turnId) => {
    if (key !== undefined) idempotency.insert(key, { bodyHash: sha256(JSON.stringify(execution)), turnId }, Date.now());
  });
}

/** The turn that an earlier call with the same key and body started. */
function findEarlier({ idempotency }: ExecuteParts, request: Request, execution: ExecuteRequest): string | null {
  const key = request.get("Idempotency-Key");
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 255)
    throw new EngineError("INVALID_REQUEST", "Idempotency-Key: expected 1 to 255 characters");
  const earlier = idempotency.find(key, Date.now() - KEPT_MS);
  if (earlier === null) return null;
  if (earlier.bodyHash === sha256(JSON.stringify(execution))) return earlier.turnId;
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
