import { ENGINE_BODY_BYTES } from "../../engine/requests.ts";
import { type Parameter, PAGE, ok } from "../../route-table.ts";
import { answerRequest } from "../question.ts";
import { type Route, admin, platform } from "./route-row.ts";

const QUERY = {
  ...PAGE,
  user_id: { kind: "text", maxLength: 256, summary: "Only questions of this user's engine" },
} as const satisfies Record<string, Parameter>;

/** What turns wait for, of all users. No engine is woken for a list. */
export const QUESTION_ROUTES = {
  listQuestions: platform(
    "GET /questions",
    "List the open questions and permission prompts of all users, without waking their engines",
    { role: "operator", clientMethod: "listQuestions", query: QUERY, responses: ok("QuestionPage") },
  ),
  answerQuestion: platform(
    "POST /engines/{user_id}/questions/{request_id}",
    "Answer an open question, as the engine's `POST /hitl/respond`; the answer wakes a sleeping engine",
    {
      role: "operator",
      clientMethod: "answerQuestion",
      request: answerRequest,
      maxBodyBytes: ENGINE_BODY_BYTES.respond,
      timeout: "boot",
      responses: ok("QuestionAnswered"),
      errors: [
        "POLICY_DENIED",
        "ENGINE_NOT_FOUND",
        "QUESTION_NOT_FOUND",
        "ENGINE_NOT_RUNNING",
        "QUESTION_ANSWERED",
        "BACKEND_ERROR",
        "CAPACITY_EXHAUSTED",
        "BOOT_TIMEOUT",
      ],
    },
  ),
  adminQuestions: admin("GET /admin/questions", "List the open questions of every product", {
    role: "operator",
    clientMethod: "listQuestions",
    query: { ...QUERY, product_id: { kind: "text", summary: "Only questions of this product, by id or slug" } },
    responses: ok("QuestionPage"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
} satisfies Record<string, Route>;
