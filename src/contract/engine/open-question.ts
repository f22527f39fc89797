import * as z from "zod/mini";
import { type RecordOf, field, record } from "../record.ts";
import { count, jsonObject, time } from "../response-schemas.ts";

/** `kept`: of an engine with more open questions, the daemon lists the oldest. Lengths are in characters. */
export const OPEN_QUESTION_LIMITS = {
  kept: 50,
  question: 4000,
  context: 16_384,
  options: 8192,
  message: 1000,
} as const;
/** A report of the largest questions, with every character escaped. */
export const MAX_QUESTION_REPORT_BYTES = 8 * 1024 ** 2;

const id = z.string().check(z.minLength(1), z.maxLength(512));
const { kept, question, context, options, message } = OPEN_QUESTION_LIMITS;
const cut = (length: number) => z.string().check(z.maxLength(length + 1));
const shortJson = z.refine((value: unknown) => JSON.stringify(value).length <= context);

/** A question to a person, as the daemon lists it. */
export const openQuestion = {
  request_id: field(
    z.string().check(z.regex(/^hitl-[0-9a-f-]{36}$/)),
    "Its id.",
    "hitl-0198c1b2-7f3a-7c01-9d2e-5b6a7c8d9e0f",
  ),
  kind: field(z.enum(["question", "permission", "login"]), "What is asked, as in `GET /hitl/pending`.", "permission"),
  question: field(cut(question), "The text of the question.", "May the agent use write_file on notes.txt?"),
  context: field(
    jsonObject.check(shortJson),
    "What the engine says of it, such as what is to be allowed, and `allow_free_text`: whether an answer may be other text than an option.",
    { tool: "write_file", allow_free_text: false },
  ),
  options: field(z.array(cut(options)).check(z.maxLength(1000)), "The answers to choose from.", ["allow_once", "deny"]),
  is_shortened: field(
    z.boolean(),
    "Whether something of it was left out because it is long. `GET /hitl/pending` of the engine has the whole.",
    false,
  ),
  task_id: field(id, "The task of the turn that waits.", "t1"),
  turn_id: field(id, "The turn that waits.", "turn_01jd3v9q2c"),
  title: field(cut(message), "The title of the task.", "Notes of Monday"),
  message: field(cut(message), "The beginning of the message that the turn answers.", "Write down what we said."),
  created_at: field(time, "When the turn asked."),
};

const openQuestionRecord = record("OpenQuestion", "An open question of an engine to a person.", openQuestion);
export type OpenQuestion = RecordOf<typeof openQuestionRecord>;

export const questionReport = record("QuestionReport", "The open questions of an engine, oldest first.", {
  revision: field(count, "Rises with each change of the list in this life of the process."),
  questions: field(z.array(openQuestionRecord).check(z.maxLength(kept)), "The oldest ones."),
  total: field(count, "How many there are."),
});
export type QuestionReport = RecordOf<typeof questionReport>;
