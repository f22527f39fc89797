import type { RequestListener } from "node:http";
import express from "express";
import { MAX_QUESTION_BYTES, QUESTION_HEADER, QUESTION_PREFIX } from "../../contract/broker/question-path.ts";
import { BROKER_QUESTIONS, type QuestionName } from "../../contract/broker/questions.ts";
import { sameSecret } from "../../contract/orchestrator/api-keys.ts";
import { BODY_LIMITS } from "../../contract/orchestrator/requests.ts";
import { BodyBufferLimit } from "../../shared/http/body-buffer-limit.ts";
import { parseJsonBody } from "../../shared/http/json-body.ts";
import { assertDeclaredSize, receiveBody } from "../../shared/http/receive-body.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { parse } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { Fleet, Runtime } from "../host-context.ts";
import type { BrokerHandlers } from "./broker-handlers.ts";
import { type UnavailableReason, errorResponder } from "./error-responder.ts";

/** Memory for the questions that are being received. */
const MAX_BODIES_BYTES = 64 * MAX_QUESTION_BYTES;

export const isQuestionUrl = (url = ""): boolean => url.startsWith(QUESTION_PREFIX);

/** Answers the questions of the broker, and of nobody else. They are no part of the public interface. */
export function createBrokerQuestions(
  { broker, logger }: Pick<Fleet & Runtime, "broker" | "logger">,
  handlers: BrokerHandlers,
  unavailableReasonOf: UnavailableReason,
): RequestListener {
  const room = new BodyBufferLimit({ total: MAX_BODIES_BYTES, each: MAX_BODIES_BYTES });
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
  for (const [name, { asked }] of Object.entries(BROKER_QUESTIONS)) {
    app.post(QUESTION_PREFIX + name, async (request, response) => {
      assertDeclaredSize(request, MAX_QUESTION_BYTES);
      const token = request.get(QUESTION_HEADER);
      if (broker === null || token === undefined || !sameSecret(token, broker.questionToken)) {
        response.status(401).end();
        return;
      }
      request.socket.emit(AUTHENTICATED);
      const body = await receiveBody(request, { maxBytes: MAX_QUESTION_BYTES, room, owner: "broker" });
      try {
        const { value } = parse(asked, parseJsonBody(body.bytes, BODY_LIMITS));
        // Each handler takes what the schema of its own row lets through.
        const handler = handlers[name as QuestionName] as (asked: unknown) => Promise<unknown>;
        response.json(await handler(value));
      } finally {
        body.release();
      }
    });
  }
  app.use((request) => {
    throw new ApiError("NOT_FOUND", `expected a question of the broker, got ${request.path.slice(0, 100)}`);
  });
  app.use(errorResponder(logger, unavailableReasonOf));
  return app;
}
