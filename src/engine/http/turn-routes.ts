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
import type { FollowerLimit } from "../turns/follower-limit.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { traceOf } from "../../shared/http/trace-request.ts";

const KEPT_MS = 24 * 3600 * 1000;

export interface TurnRouteParts {
  readonly runner: TurnRunner;
  readonly journal: EventJournal;
  readonly humanRequests: HumanRequests;
  /** The turn that a client's `Idempotency-Key` started. */
  readonly idempotency: {
    find(key: string, notBefore: number): { readonly bodyHash: string; readonly turnId: string } | null;
    insert(key: string, call: { readonly bodyHash: string; readonly turnId: string }, createdAt: number): void;
  };
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  readonly followers: FollowerLimit;
  readonly limits: StreamLimits;
}

/** The calls of turns and their questions. */
export const turnRoutes = (parts: TurnRouteParts) =>
  ({
    execute: executeRoute(parts),
    cancel(request, response) {
      const { task_id: taskId } = validateBody(cancelRequest, request.body, response);
      response.json({ cancelled: parts.runner.cancel(taskId) });
    },
    respond(request, response) {
      const { request_id: requestId, answer } = validateBody(hitlRespondRequest, request.body, response);
      parts.humanRequests.answer(requestId, answer);
      response.json({ request_id: requestId, status: "resolved" });
    },
    pending: (_request, response) => void response.json({ requests: parts.humanRequests.pending() }),
  }) satisfies Record<string, RequestHandler>;

/** I1 store before wire: claims the task and starts the turn before a byte is sent; then the stream follows the journal. */
function executeRoute(parts: TurnRouteParts): RequestHandler {
  return async (request, response) => {
    const execution = validateBody(executeRequest, request.body, response);
    const key = request.get("Idempotency-Key");
    const earlier = findEarlier(parts, key, execution);
    if (earlier !== null) parts.followers.acquire(execution.task_id, response);
    // An earlier call with the same key started the turn.
    const turn =
      earlier === null ? begin(parts, { key, response }, execution) : { turnId: earlier, run: () => undefined };
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

export type KeyedTurnParts = Pick<TurnRouteParts, "runner" | "idempotency" | "hasAgent">;

/** Starts a turn; with a key, so that a repeated call finds it. */
export function begin(
  { runner, idempotency, hasAgent }: KeyedTurnParts,
  { key, response }: { readonly key: string | undefined; readonly response: Response },
  execution: ExecuteRequest,
): StartedTurn {
  if (execution.agent !== undefined && !hasAgent(execution.agent))
    throw new EngineError("NOT_FOUND", `agent: there is no agent named ${execution.agent}`);
  const storeKey = (turnId: string) => {
    if (key !== undefined) idempotency.insert(key, { bodyHash: sha256(JSON.stringify(execution)), turnId }, Date.now());
  };
  return runner.start(execution, storeKey, { kind: "call", ...traceOf(response) });
}

/** The turn that an earlier call with the same key and body started. */
export function findEarlier(
  { idempotency }: Pick<TurnRouteParts, "idempotency">,
  key: string | undefined,
  execution: ExecuteRequest,
): string | null {
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
