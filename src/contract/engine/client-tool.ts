import * as z from "zod/mini";
import { byteLength, characters, keptJson, wellFormedText } from "../../shared/parse.ts";
import { type RecordOf, field, record } from "../record.ts";
import { jsonObject, text, time } from "../response-schemas.ts";

/** Limits of the tools of one `POST /execute`. */
export const CLIENT_TOOL_LIMITS = { tools: 64, schemaBytes: 32 * 1024, allBytes: 256 * 1024 } as const;

const SCHEMA_SIZE = { error: `expected at most ${CLIENT_TOOL_LIMITS.schemaBytes / 1024} KiB of JSON` };
const fits = (schema: object) => byteLength(JSON.stringify(schema)) <= CLIENT_TOOL_LIMITS.schemaBytes;
const NAME = "expected up to 64 letters, digits, _ and -, a letter first, without the prefix mcp__";

export const clientTool = z.object({
  name: field(
    z.string(NAME).check(z.regex(/^(?!mcp__)[A-Za-z][\w-]{0,63}$/, NAME)),
    "The tool's name. It is no built-in tool and no tool of the catalog.",
    "get_selection",
  ),
  description: field(
    wellFormedText("expected a string of 1 to 4000 characters").check(z.minLength(1), z.maxLength(4000)),
    "What the tool does and when to use it. The model reads it.",
    "The text that the user has selected in the editor.",
  ),
  input_schema: field(
    keptJson().check(
      z.refine(fits, SCHEMA_SIZE),
      z.refine(({ type }) => type === "object", { error: 'expected a schema with "type": "object"' }),
    ),
    "JSON Schema of the arguments, an object.",
    { type: "object" },
  ),
  output_schema: field(
    z.optional(keptJson().check(z.refine(fits, SCHEMA_SIZE))),
    "JSON Schema of the output. An answer that does not match is refused, and the call stays open.",
    { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  ),
});
export type ClientTool = z.output<typeof clientTool>;

export const clientTools = z.array(clientTool).check(
  z.maxLength(CLIENT_TOOL_LIMITS.tools),
  z.refine((tools) => byteLength(JSON.stringify(tools)) <= CLIENT_TOOL_LIMITS.allBytes, {
    error: `expected at most ${CLIENT_TOOL_LIMITS.allBytes / 1024} KiB of JSON`,
  }),
);

const anyJson = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

export const toolRespondRequest = z.object({
  tool_call_id: field(characters(1, 255), "The `tool_call_id` of the call.", "call_01jd3vd41x"),
  output: field(
    z.optional(anyJson),
    "The result, any JSON. It matches the tool's `output_schema`, if it has one. Either this or `error`.",
    { text: "Hello" },
  ),
  error: field(
    z.optional(
      wellFormedText("expected a string of 1 to 100,000 characters").check(z.minLength(1), z.maxLength(100_000)),
    ),
    "Why the tool failed, for the model.",
    "the document is closed",
  ),
});

const pendingToolCall = record("PendingToolCall", "A call that waits for the client's answer.", {
  tool_call_id: field(text, "The call's id, which `POST /tools/respond` takes.", "call_01jd3vd41x"),
  tool: field(text, "The tool's name.", "get_selection"),
  input: field(jsonObject, "The input of the call."),
  agent: z.exactOptional(field(text, "Of a delegated agent: its name.", "researcher")),
  parent_tool_call_id: z.exactOptional(
    field(text, "Of a delegated agent: the call of `delegate` that started it.", "call_0"),
  ),
  task_id: field(text, "The task of the turn that waits.", "t1"),
  turn_id: field(text, "The turn that waits.", "turn_01jd3v9q2c"),
  created_at: field(time, "When the model called the tool."),
});
export type PendingToolCall = RecordOf<typeof pendingToolCall>;

/** The bodies of the engine's `/tools` routes. */
export const CLIENT_TOOL_RESPONSES = {
  PendingToolCalls: z
    .object({ calls: field(z.array(pendingToolCall), "The open calls, the oldest first.") })
    .check(z.meta({ description: "The calls that wait for the client's answer." })),
  ToolAnswered: z
    .object({
      tool_call_id: field(text, "The call's id.", "call_01jd3vd41x"),
      status: field(z.literal("answered"), "The call has this answer."),
    })
    .check(z.meta({ description: "A call that was answered." })),
} as const satisfies Record<string, z.ZodMiniType>;
