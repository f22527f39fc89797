import * as z from "zod/mini";
import { EFFORTS } from "./model-choice.ts";

export const effort = z.enum(EFFORTS, { error: `expected one of ${EFFORTS.join(", ")}` });

/** `model` or `provider:model`. */
export const modelName = z
  .string()
  .check(
    z.regex(
      /^[\x21-\x29\x2b-\x7e]{1,200}$/,
      "expected the name of a model: 1 to 200 printable ASCII characters without spaces and asterisks",
    ),
  );

/** The same, or the beginning of names and an asterisk. */
export const modelPattern = z
  .string()
  .check(
    z.regex(
      /^(?=.)[\x21-\x29\x2b-\x7e]{0,200}\*?$/,
      "expected the name of a model: 1 to 200 printable ASCII characters without spaces, or the beginning of names and *",
    ),
  );
