import type { Request, RequestHandler } from "express";
import type { WhenBusy } from "../../contract/engine/inbox-limits.ts";
import { cancelRequest, hitlRespondRequest } from "../../contract/engine/requests.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { EngineError } from "../engine-error.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { StreamLimits } from "./event-stream.ts";
import { executeRoute } from "./execute-route.ts";
import type { MessageStorage } from "./store-message.ts";

const KEPT_MS = 24 * 3600 * 1000;

export interface TurnRouteParts {
  readonly runner: TurnRunner;
  readonly journal: EventJournal;
  readonly humanRequests: HumanRequests;
  readonly inbox: Inbox;
  /** The policy's `when_busy`, of calls that name none. */
  readonly whenBusy: WhenBusy;
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
      const { task_id: taskId, inbox = false } = validateBody(cancelRequest, request.body, response);
      // First, so that the end of the turn starts none of them.
      const removed = inbox ? { removed: parts.inbox.clear(taskId) } : {};
      response.json({ cancelled: parts.runner.cancel(taskId), ...removed });
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

export const wantsIds = (request: Request): boolean =>
  request.query["ids"] === "1" || (request.query["ids"] !== "0" && request.get("Last-Event-ID") !== undefined);

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
