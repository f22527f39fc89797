import type { RequestHandler } from "express";
import type { QuestionReport } from "../../contract/engine/open-question.ts";
import { hitlRespondRequest } from "../../contract/engine/requests.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

export interface QuestionParts {
  readonly humanRequests: HumanRequests;
  readonly openQuestions: { report(): QuestionReport };
  readonly runner: TurnRunner;
}

/** The daemon's calls for open questions: it lists them, and passes answers on. */
export const questionRoutes = ({ humanRequests, openQuestions, runner }: QuestionParts) =>
  ({
    openQuestions(_request, response) {
      response.json(openQuestions.report());
    },
    answerQuestion(request, response) {
      const { request_id: requestId, answer } = validateBody(hitlRespondRequest, request.body, response);
      runner.assertNotSuspended();
      humanRequests.answer(requestId, answer);
      response.json(openQuestions.report());
    },
  }) satisfies Record<string, RequestHandler>;
