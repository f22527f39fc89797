import type { RequestHandler } from "express";
import { cancelRequest, hitlRespondRequest } from "../../contract/engine-api.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

export const cancelRoute =
  (runner: TurnRunner): RequestHandler =>
  (request, response) => {
    const { task_id: taskId } = validateBody(cancelRequest, request.body, response);
    response.json({ cancelled: runner.cancel(taskId) });
  };

export const respondRoute =
  (humanRequests: HumanRequests): RequestHandler =>
  (request, response) => {
    const { request_id: requestId, answer } = validateBody(hitlRespondRequest, request.body, response);
    humanRequests.answer(requestId, answer);
    response.json({ request_id: requestId, status: "resolved" });
  };

export const pendingRoute =
  (humanRequests: HumanRequests): RequestHandler =>
  (_request, response) => {
    response.json({ requests: humanRequests.pending() });
  };
