import type { RequestHandler } from "express";
import { toolRespondRequest } from "../../contract/engine/client-tool.ts";
import { cancelRequest, hitlRespondRequest } from "../../contract/engine/requests.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { ClientCalls } from "../turns/client-calls.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import { EngineError } from "../engine-error.ts";
import { mayReach } from "./task-bounds.ts";
import { assertMayGoOn } from "./turn-limit.ts";
import { type ExecuteParts, executeRoute } from "./execute-route.ts";

export interface TurnRouteParts extends ExecuteParts {
  readonly humanRequests: HumanRequests;
  readonly clientCalls: ClientCalls;
}

/** The routes of turns, their human requests and their calls of the client's tools. */
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
      const taskId = parts.humanRequests.taskOf(requestId);
      if (!mayReach(request, taskId)) throw new EngineError("HITL_NOT_FOUND", "no request has this request_id");
      assertMayGoOn(parts.runner, request, taskId);
      parts.humanRequests.answer(requestId, answer);
      response.json({ request_id: requestId, status: "resolved" });
    },
    pending(request, response) {
      const requests = parts.humanRequests.pending().filter(({ task_id: taskId }) => mayReach(request, taskId));
      response.json({ requests });
    },
    respondTool(request, response) {
      const { tool_call_id, output, error } = validateBody(toolRespondRequest, request.body, response);
      if ((output === undefined) === (error === undefined))
        throw new InvalidInput("output", "expected either output or error");
      parts.runner.assertNotSuspended();
      const taskId = parts.clientCalls.taskOf(tool_call_id);
      if (!mayReach(request, taskId))
        throw new EngineError("NOT_FOUND", "tool_call_id: no call of a client's tool has this id");
      assertMayGoOn(parts.runner, request, taskId);
      parts.clientCalls.answer(tool_call_id, error === undefined ? { output } : { error });
      response.json({ tool_call_id, status: "answered" });
    },
    pendingTools(request, response) {
      const calls = parts.clientCalls.pending().filter(({ task_id: taskId }) => mayReach(request, taskId));
      response.json({ calls });
    },
  }) satisfies Record<string, RequestHandler>;
