import * as z from "zod/mini";
import { taskId } from "../../../contract/engine/requests.ts";
import { CLIENT_TOOL_LIMITS } from "../../../contract/engine/client-tool.ts";
import { characters } from "../../../shared/parse.ts";
import { isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";

const id = characters(1, 255);

const runInput = z.object({
  threadId: taskId,
  runId: id,
  protocolVersion: z.optional(z.unknown()),
  parentRunId: z.optional(z.unknown()),
  state: z.optional(z.unknown()),
  messages: z.array(
    z.looseObject({
      id,
      role: z.enum(["developer", "system", "assistant", "user", "tool", "activity", "reasoning"]),
      content: z.optional(z.unknown()),
      toolCallId: z.optional(id),
      error: z.optional(z.string()),
    }),
  ),
  tools: z.optional(
    z
      .array(z.object({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(z.unknown()) }))
      .check(z.maxLength(CLIENT_TOOL_LIMITS.tools)),
  ),
  context: z.optional(z.array(z.object({ description: z.string(), value: z.string() }))),
  forwardedProps: z.optional(z.unknown()),
  resume: z.optional(
    z.array(z.object({ interruptId: id, status: z.enum(["resolved", "cancelled"]), payload: z.optional(z.unknown()) })),
  ),
});
export type RunInput = z.output<typeof runInput>;
export type RunMessage = RunInput["messages"][number];
export type Resume = NonNullable<RunInput["resume"]>[number];

export const readRun = (calls: EngineCalls, body: unknown): RunInput => calls.validate(runInput, body);

/** What a run brings that the conversation has not: everything after the agent's last message. */
export interface News {
  /** What the user has said. */
  readonly said: readonly RunMessage[];
  /** Results of calls. */
  readonly results: readonly RunMessage[];
}

export function newsOf({ messages }: RunInput): News {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const after = messages.slice(last + 1);
  const results = after.filter(({ role }) => role === "tool");
  return { said: after.filter(({ role }) => role === "user"), results };
}

/** What the application forwards to the engine. Other fields are its own. */
export function forwardedOf({ forwardedProps: props }: RunInput): Readonly<Record<string, unknown>> {
  return isRecord(props) ? props : {};
}
