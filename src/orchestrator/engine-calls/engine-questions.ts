import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../contract/engine/control.ts";
import { MAX_QUESTION_REPORT_BYTES, type QuestionReport, questionReport } from "../../contract/engine/open-question.ts";
import { untrustedText } from "../../shared/untrusted-text.ts";
import { askEngine } from "./ask-engine.ts";
import type { ControlTarget } from "./engine-control.ts";

const TIMEOUT_MS = 2000;
const MAX_REASON = 500;

/** The open questions of an engine. Null when it does not answer. */
export async function readQuestions({ url, token }: ControlTarget): Promise<QuestionReport | null> {
  const answer = await askEngine({
    url: url + CONTROL_PATHS.questions,
    headers: { [CONTROL_TOKEN_HEADER]: token },
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_QUESTION_REPORT_BYTES,
  });
  const read = answer.kind === "answered" ? questionReport.safeParse(answer.body) : null;
  return read?.success === true ? read.data : null;
}

export type AnswerOutcome =
  /** The questions that stay open. */
  | { readonly kind: "answered"; readonly report: QuestionReport }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "failed"; readonly reason: string };

const refusal = z.object({ error: z.string(), message: z.string() });

/** Passes an answer on. The same one again is accepted, so a call whose response was lost may be repeated. */
export async function passAnswer(
  { url, token }: ControlTarget,
  body: { readonly request_id: string; readonly answer: string },
): Promise<AnswerOutcome> {
  const answer = await askEngine({
    url: url + CONTROL_PATHS.questions,
    method: "POST",
    headers: { [CONTROL_TOKEN_HEADER]: token },
    body,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_QUESTION_REPORT_BYTES,
  });
  if (answer.kind === "failed") return answer;
  const left = questionReport.safeParse(answer.body);
  if (answer.status === 200 && left.success) return { kind: "answered", report: left.data };
  const refused = z.safeParse(refusal, answer.body);
  if (!refused.success) return { kind: "failed", reason: `the engine answered ${answer.status}` };
  return { kind: "refused", code: refused.data.error, message: untrustedText(refused.data.message, MAX_REASON) };
}
