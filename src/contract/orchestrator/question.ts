import * as z from "zod/mini";
import { openQuestion } from "../engine/open-question.ts";
import { hitlRespondRequest } from "../engine/requests.ts";
import { type RecordOf, field, page, record } from "../record.ts";
import { text } from "../response-schemas.ts";
import { engineState } from "./engine.ts";

const question = record("QuestionRecord", "An open question of a turn to a person.", {
  ...openQuestion,
  engine_id: field(text, "The engine that asks.", "eng_01jd3v8k2m"),
  product_id: field(text, "Its product.", "prd_01jd3v8k2m"),
  user_id: field(text, "Its user.", "alice"),
  engine_state: field(engineState, "The engine's state. An answer wakes one that is `sleeping`.", "sleeping"),
});
export type QuestionRecord = RecordOf<typeof question>;

export const answerRequest = z.pick(hitlRespondRequest, { answer: true });

export const QUESTION_RESPONSES = {
  QuestionPage: page(question, "Open questions to people, the oldest first."),
  QuestionAnswered: z
    .object({
      request_id: field(text, "The question's id."),
      status: field(z.literal("resolved"), "The question has this answer, and its turn goes on."),
    })
    .check(z.meta({ description: "A question that was answered." })),
} as const;
