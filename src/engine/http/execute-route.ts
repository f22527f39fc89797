import type { Request, RequestHandler, Response } from "express";
import { type ExecuteRequest, TURN_ID_HEADER, executeRequest } from "../../contract/engine-api.ts";
import { sha256 } from "../../contract/api-keys.ts";
import { EngineError } from "../engine-error.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import type { FollowerSeats } from "../turns/follower-seats.ts";

const KEPT_MS = 24 * 3600 * 1000;

export interface ExecuteParts {
  readonly runner: TurnRunner;
  readonly journal: EventJournal;
  /** Which turn a client's `Idempotency-Key` began. */
  readonly idempotency: {
    find(key: string, notBefore: number): { readonly bodyHash: string; readonly turnId: string } | null;
    insert(key: string, call: { readonly bodyHash: string; readonly turnId: string }, createdAt: number): void;
  };
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  readonly seats: FollowerSeats;
  readonly limits: StreamLimits;
}

/** Claims the task and begins the turn before a byte is sent; then the stream only follows the journal. */
export function executeRoute(parts: ExecuteParts): RequestHandler {
  return async (request, response) => {
    const wish = validateBody(executeRequest, request.body, response);
    const earlier = findEarlier(parts, request, wish);
    if (earlier !== null) parts.seats.take(wish.task_id, response);
    // A turn that an earlier call began is on its way.
    const turn = earlier === null ? begin(parts, request, wish) : { turnId: earlier, run: () => undefined };
    const { turnId } = turn;
    if (wish.on_disconnect === "cancel" && earlier === null)
      cancelWhenLeft(parts.runner, response, { taskId: wish.task_id, turnId });
    const opening = EventStream.open(response, {
      withIds: wantsIds(request),
      limits: parts.limits,
      headers: { [TURN_ID_HEADER]: turnId, ...(earlier !== null && { "Idempotent-Replayed": "true" }) },
      cut: () => parts.journal.cursor(),
    });
    const following = opening.then((stream) =>
      followEvents(stream, parts.journal, {
        taskId: wish.task_id,
        turnId,
        live: true,
        merge: earlier !== null,
        isRunning: () => parts.runner.isRunning(turnId),
      }),
    );
    // It goes on whatever becomes of its reader, but not before `started` has been written to that one.
    await Promise.all([opening.finally(() => turn.run()), following]);
  };
}

export const wantsIds = (request: Request): boolean =>
  request.query["ids"] === "1" || request.get("Last-Event-ID") !== undefined;

function begin({ runner, idempotency, hasAgent }: ExecuteParts, request: Request, wish: ExecuteRequest): StartedTurn {
  if (wish.agent !== undefined && !hasAgent(wish.agent))
    throw new EngineError("NOT_FOUND", `agent: there is no agent named ${wish.agent}`);
  const key = request.get("Idempotency-Key");
  return runner.start(wish, (turnId) => {
    if (key !== undefined) idempotency.insert(key, { bodyHash: sha256(JSON.stringify(wish)), turnId }, Date.now());
  });
}

/** The turn that an earlier call with the same key and body began. */
function findEarlier({ idempotency }: ExecuteParts, request: Request, wish: ExecuteRequest): string | null {
  const key = request.get("Idempotency-Key");
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 255)
    throw new EngineError("INVALID_REQUEST", "Idempotency-Key: expected 1 to 255 characters");
  const earlier = idempotency.find(key, Date.now() - KEPT_MS);
  if (earlier === null) return null;
  if (earlier.bodyHash === sha256(JSON.stringify(wish))) return earlier.turnId;
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
