import * as z from "zod/mini";
import type { Outcome } from "./ask-outcome.ts";
import type { FollowedTurn } from "./follow-turn.ts";
import { questionText } from "./question-form.ts";

export const STATUSES = ["completed", "failed", "question", "client_tool", "running"] as const;

/** The structured content of `ask` and `answer`. */
export const turnResult = z.object({
  task_id: z.string().check(z.describe("The conversation. Give it with the next message to continue.")),
  turn_id: z.nullable(z.string()),
  status: z.enum(STATUSES).check(z.describe("question: call `answer`. running: call `ask` with the task_id alone.")),
  answer: z.string().check(z.describe("What the agent has said in this turn.")),
  output: z.optional(z.looseObject({})),
  question: z.optional(
    z.object({
      request_id: z.string(),
      kind: z.enum(["question", "permission", "login"]),
      text: z.string(),
      options: z.array(z.string()),
      allow_free_text: z.boolean(),
    }),
  ),
  client_tool: z.optional(z.object({ tool_call_id: z.string(), tool: z.string(), input: z.looseObject({}) })),
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
});
type TurnResult = z.output<typeof turnResult>;

export interface ToolResult {
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

export const textResult = (text: string, structuredContent: Record<string, unknown>): ToolResult => ({
  content: [{ type: "text", text }],
  structuredContent,
});

export const errorResult = (code: string, message: string): ToolResult => ({
  content: [{ type: "text", text: `${code}: ${message}` }],
  isError: true,
});

/** What a tool returns of a turn. */
export function resultOf({ taskId, progress: { answer, turnId } }: FollowedTurn, outcome: Outcome): ToolResult {
  const common = { task_id: taskId, turn_id: turnId, answer };
  const result = (status: TurnResult["status"], text: string, more: Partial<TurnResult> = {}) =>
    textResult(text, { ...common, status, ...more } satisfies TurnResult);
  switch (outcome.kind) {
    case "completed": {
      const { output } = outcome;
      if (output === undefined) return result("completed", answer);
      return result("completed", JSON.stringify(output), { output: { ...output } });
    }
    case "errored": {
      const { code, message } = outcome;
      const failed = result("failed", `${code}: ${message}`, { error: { code, message } });
      return { ...failed, isError: true };
    }
    case "question": {
      const { request_id: id, kind, options, context } = outcome.question;
      const isFree = context["allow_free_text"] === true;
      const text = questionText(outcome.question);
      const how = `Answer with the tool \`answer\`, request_id ${id}.`;
      const choice = options.length > 0 ? `\nOptions: ${options.join(", ")}${isFree ? ", or other text" : ""}` : "";
      return result("question", `${answer === "" ? "" : `${answer}\n\n`}${text}${choice}\n${how}`, {
        question: { request_id: id, kind, text, options: [...options], allow_free_text: isFree },
      });
    }
    case "client_tool": {
      const { tool_call_id: id, tool, input } = outcome.call;
      return result("client_tool", `The turn waits for the client's tool ${tool}: POST /tools/respond answers it.`, {
        client_tool: { tool_call_id: id, tool, input: { ...input } },
      });
    }
    case "running":
      return result("running", `The turn runs. Call \`ask\` with task_id ${taskId} and no message to wait for it.`);
    default:
      return outcome satisfies never;
  }
}
