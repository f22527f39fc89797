import * as z from "zod/mini";
import { ENGINE_ERRORS, type EngineErrorCode } from "./errors.ts";
import { type RecordOf, field, record } from "../record.ts";
import { jsonObject, text } from "../response-schemas.ts";

const errorCode = z
  .enum(Object.keys(ENGINE_ERRORS) as [EngineErrorCode, ...EngineErrorCode[]])
  .check(z.meta({ title: "EngineErrorCode" }));

export const engineErrorBody = record("EngineErrorBody", "A call that failed.", {
  error: field(errorCode, "The code, by which programs decide.", "TASK_BUSY"),
  message: field(text, "The cause, for people. Its wording may change.", "the task has a turn in flight"),
  details: z.exactOptional(field(jsonObject, "Facts that depend on the code.", { turn_id: "turn_01jd3v9q2c" })),
});
export type EngineErrorBody = RecordOf<typeof engineErrorBody>;
