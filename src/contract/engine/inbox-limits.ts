import * as z from "zod/mini";
import { characters } from "../../shared/parse.ts";

/** Messages that may wait in the inbox of a task. */
export const MAX_WAITING = 100;

/** A caller's id of a message. */
export const messageId = characters(1, 255).check(
  z.refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), {
    error: "expected no control characters and no broken surrogates",
  }),
);
