import * as z from "zod/mini";
import { type RecordOf, field, record } from "../record.ts";
import { jsonObject, text, time } from "../response-schemas.ts";

const hitlKind = z.enum(["question", "permission", "login"]).check(z.meta({ title: "HitlKind" }));
export type HitlKind = z.output<typeof hitlKind>;

/** A question to a person, in the event and in the list of open requests. */
export const humanRequest = {
  request_id: field(text, "The request's id, which `POST /hitl/respond` takes.", "hitl-01jd3vd41x"),
  kind: field(
    hitlKind,
    "`question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server.",
    "question",
  ),
  question: field(text, "The text of the question.", "Which format?"),
  context: field(
    jsonObject,
    "`tool_call_id`, and `allow_free_text`: whether an answer may be other text than an option. A permission prompt adds what is to be allowed, a login the `server` and the `url` of its link.",
    { tool_call_id: "call_1", allow_free_text: false },
  ),
  options: field(z.array(text), "The answers to choose from.", ["PDF", "Word"]),
};

const pendingRequest = record("PendingRequest", "An open question to a person.", {
  ...humanRequest,
  task_id: field(text, "The task of the turn that waits.", "t1"),
  turn_id: field(text, "The turn that waits.", "turn_01jd3v9q2c"),
  created_at: field(time, "When the turn asked."),
});
export type PendingRequest = RecordOf<typeof pendingRequest>;

/** The bodies of the engine's `/hitl` routes. */
export const HUMAN_REQUEST_RESPONSES = {
  PendingRequests: z
    .object({ requests: field(z.array(pendingRequest), "The open requests.") })
    .check(z.meta({ description: "The open questions and permission prompts." })),
  Resolved: z
    .object({
      request_id: field(text, "The request's id.", "hitl-01jd3vd41x"),
      status: field(z.literal("resolved"), "The request has this answer."),
    })
    .check(z.meta({ description: "A request that was answered." })),
} as const satisfies Record<string, z.ZodMiniType>;
