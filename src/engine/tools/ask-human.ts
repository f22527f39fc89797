import * as z from "zod/mini";
import type { Tool } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { visibleProse } from "./visible-text.ts";

export const askHuman: Tool<{ question: string; options?: string[]; allow_free_text?: boolean }> = {
  name: "ask_human",
  description: "Asks the user a question and waits for the answer. Use it when only the user can decide or know.",
  input: toolInput(
    z.object({
      question: z.string().check(z.minLength(1), z.maxLength(4000)),
      options: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(400))).check(z.maxLength(20))),
      allow_free_text: z.optional(z.boolean().check(z.describe("The user may answer with text that is not an option"))),
    }),
  ),
  readOnly: true,
  permission: "allow",
  returns: "own",
  bookkeeping: true,
  asksHuman: true,
  resources: () => [],
  async run({ question, options = [], allow_free_text: allowFreeText = options.length === 0 }, context) {
    // Without options, free text is the only possible answer.
    const answer = await context.ask({
      question: visibleProse(question),
      options: options.map((option) => visibleProse(option)),
      allowFreeText: allowFreeText || options.length === 0,
    });
    return { answer };
  },
};
