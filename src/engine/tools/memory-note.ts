import * as z from "zod/mini";
import type { Tool } from "./tool.ts";
import { toolInput } from "./tool-input.ts";

const ENTRY_TYPES = ["note", "observation", "summary"] as const;

export const memoryNote: Tool<{ content: string; entry_type?: (typeof ENTRY_TYPES)[number] }> = {
  name: "memory_note",
  description: "Stores a note in working memory for later in this task.",
  input: toolInput(
    z.object({
      content: z.string().check(z.minLength(1), z.maxLength(10_000)),
      entry_type: z.optional(z.enum(ENTRY_TYPES)),
    }),
  ),
  readOnly: false,
  permission: "allow",
  returns: "own",
  bookkeeping: true,
  resources: () => ["working-memory"],
  subject: () => "working memory, with any content",
  async run({ content, entry_type: entryType = "note" }, context) {
    context.note(entryType, content);
    return { noted: true };
  },
};
