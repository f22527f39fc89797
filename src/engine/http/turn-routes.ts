import type { RequestHandler } from "express";
import { cancelRequest, hitlRespondRequest } from "../../contract/engine-api.ts";
import type { HitlDesk } from "../turns/hitl-desk.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { readBody } from "./call.ts";

export const cancelRoute =
  (runner: TurnRunner): RequestHandler =>
  (request, response) => {
    const { task_id: taskId } = readBody(cancelRequest, request, response);
    response.json({ cancelled: runner.cancel(taskId) });
  };

export const respondRoute =
  (desk: HitlDesk): RequestHandler =>
  (request, response) => {
    const { request_id: requestId, answer } = readBody(hitlRespondRequest, request, response);
    desk.answer(requestId, answer);
    response.json({ request_id: requestId, status: "resolved" });
  };

export const pendingRoute =
  (desk: HitlDesk): RequestHandler =>
  (_request, response) => {
    response.json({ requests: desk.pending() });
  };
