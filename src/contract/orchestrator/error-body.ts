import * as z from "zod/mini";
import { ORCHESTRATOR_ERRORS, type OrchestratorErrorCode } from "./errors.ts";
import { type RecordOf, field } from "../record.ts";
import { jsonObject, text } from "../response-schemas.ts";

const errorCode = z
  .enum(Object.keys(ORCHESTRATOR_ERRORS) as [OrchestratorErrorCode, ...OrchestratorErrorCode[]])
  .check(z.meta({ title: "OrchestratorErrorCode" }));

/** The body of each response that is an error. */
export const errorBody = z
  .object({
    error: field(
      z.object({
        code: field(errorCode, "What programs decide by.", "ENGINE_NOT_FOUND"),
        message: field(text, "The cause, for people. Its wording may change.", "no engine for user alice"),
        details: field(z.optional(jsonObject), "Only with `CATALOG_INVALID`: `errors`, and how many more there are."),
      }),
      "The error.",
    ),
  })
  .check(z.meta({ description: "A call that failed." }));
export type ErrorBody = RecordOf<typeof errorBody>;
