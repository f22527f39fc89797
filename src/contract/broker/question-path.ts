import type { QuestionName } from "./questions.ts";

/** Before the name of a question, in its path at the daemon. */
export const QUESTION_PREFIX = "/broker/";

export const questionPath = (name: QuestionName): string => QUESTION_PREFIX + name;

export const QUESTION_HEADER = "x-broker-token";
/** Longer questions are refused. */
export const MAX_QUESTION_BYTES = 64 * 1024;
/** Longer answers are refused. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
