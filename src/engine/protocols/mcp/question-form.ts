import type { OpenQuestion } from "./ask-progress.ts";

const MAX_CONTEXT = 2000;

/** A form of `elicitation/create` with the one field `answer`. */
export interface QuestionForm {
  readonly message: string;
  readonly requestedSchema: {
    type: "object";
    properties: { answer: { type: "string"; title: string; description?: string; enum?: string[] } };
    required: string[];
  };
}

/** The question of the agent, or a permission prompt, as the client shows it to its user. */
export function questionForm(question: OpenQuestion): QuestionForm {
  const { options } = question;
  const isFree = question.context["allow_free_text"] === true;
  return {
    message: questionText(question),
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Answer",
          ...(isFree || options.length === 0
            ? options.length > 0 && { description: `One of ${options.join(", ")}, or other text` }
            : { enum: [...options] }),
        },
      },
      required: ["answer"],
    },
  };
}

/** The text of the question, and of a permission prompt what is to be allowed. */
export function questionText({ question, kind, context }: OpenQuestion): string {
  if (kind === "question") return question;
  const { tool_call_id: _id, allow_free_text: _free, ...rest } = context;
  return `${question}\n${JSON.stringify(rest, null, 1).slice(0, MAX_CONTEXT)}`;
}

/** What a client's user has done with the form. */
export type FormOutcome = { readonly kind: "answered"; readonly answer: string } | { readonly kind: "left" };

/** Reads the result of `elicitation/create`. It comes from the client, so it may be anything. */
export function readOutcome(result: unknown, options: readonly string[]): FormOutcome {
  const { action, content } = Object(result) as { readonly action?: unknown; readonly content?: unknown };
  const { answer } = Object(content) as { readonly answer?: unknown };
  if (action === "accept" && typeof answer === "string" && answer !== "") return { kind: "answered", answer };
  // A person who declines a permission prompt has decided it. Another question stays open.
  if (action === "decline" && options.includes("deny")) return { kind: "answered", answer: "deny" };
  return { kind: "left" };
}
