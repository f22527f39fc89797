import { answerRequest } from "../../contract/orchestrator/question.ts";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import { integerParameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { EngineHost } from "../host-context.ts";
import { answerQuestion } from "../operations/answer-question.ts";
import { questionLists } from "../operations/list-questions.ts";
import { lookUpProduct } from "../status/look-up-product.ts";
import type { Call, Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

/** Open questions of turns to people. */
export function questionRoutes(host: EngineHost) {
  const pageOf = questionLists(host);
  const list = (call: Call, productId: string | null) => {
    const page = {
      productId,
      userId: call.query["user_id"] ?? null,
      after: cursorOf(call),
      limit: integerParameter(call, "limit", PAGE_LIMIT),
    };
    return call.list(async () => ({ status: 200, body: await pageOf(page) }));
  };
  return {
    listQuestions: (call) => list(call, call.product.record.id),
    adminQuestions: async (call) => {
      const product = call.query["product_id"];
      return list(call, product === undefined ? null : (await lookUpProduct(host, product)).id);
    },
    answerQuestion: async (call) => {
      const { answer } = call.body(answerRequest);
      const requestId = call.params["request_id"] ?? "";
      await answerQuestion(host, call.product, { userId: userParameter(call), requestId, answer });
      return { status: 200, body: { request_id: requestId, status: "resolved" } };
    },
  } satisfies Record<string, Handler>;
}

function cursorOf({ query }: Call): string | null {
  const { cursor = null } = query;
  if (cursor !== null && !/^hitl-[0-9a-f-]{36}$/.test(cursor))
    throw new InvalidInput("cursor", "expected the next_cursor of the previous page of this list (hitl-…)");
  return cursor;
}
