import * as z from "zod/mini";
import { byteLength, characters, wellFormedText } from "../../shared/parse.ts";
import { type RecordOf, field, record } from "../record.ts";

/** Of one call, and of what is valid in a task at one time. Names count too. */
export const MAX_CONTEXT_ITEMS = 32;
export const MAX_CONTEXT_BYTES = 16 * 1024;

const contextItem = record("ContextItem", "What goes with a message and is not the user's words.", {
  name: field(characters(1, 64), "What it is, in 1 to 64 characters.", "page"),
  content: field(
    wellFormedText(),
    "Its text. Empty with `ttl` `task`: the item of this name is valid no longer.",
    "/orders/17",
  ),
  ttl: field(
    z.optional(z.enum(["turn", "task"])),
    "`turn`: valid for this message. `task`: until an item of this name replaces it. `turn` when omitted.",
    "turn",
  ),
});
export type ContextItem = RecordOf<typeof contextItem>;

export const contextBytes = (items: readonly Pick<ContextItem, "name" | "content">[]): number =>
  items.reduce((sum, { name, content }) => sum + byteLength(name) + byteLength(content), 0);

const ITEMS = `expected at most ${MAX_CONTEXT_ITEMS} items`;

export const turnContext = z.array(contextItem).check(
  z.maxLength(MAX_CONTEXT_ITEMS, ITEMS),
  z.refine((items) => contextBytes(items) <= MAX_CONTEXT_BYTES, {
    error: `expected at most ${MAX_CONTEXT_BYTES / 1024} KiB of names and contents together`,
  }),
  z.refine((items) => new Set(items.map(({ name }) => name)).size === items.length, {
    error: "expected different names",
  }),
);
