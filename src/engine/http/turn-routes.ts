import type { RequestHandler } from "express";
import { cancelRequest, hitlRespondRequest } from "../../contract/engine/requests.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import { type ExecuteParts, executeRoute } from "./execute-route.ts";

export interface TurnRouteParts extends ExecuteParts {
  readonly humanRequests: HumanRequests;
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
