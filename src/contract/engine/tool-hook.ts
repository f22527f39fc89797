import * as z from "zod/mini";
import { characters, integer, keptJson, wellFormedText } from "../../shared/parse.ts";
import { type RecordOf, field } from "../record.ts";
import type { IntegerParameter } from "../route-table.ts";
import { count } from "../response-schemas.ts";
import { TOOL_HOOK_LIMITS as LIMITS, ON_HOOK_ERROR } from "./tool-hook-limits.ts";

/** What an engine knows of its product's hook. The address is the daemon's. */
export const toolHookRules = z.object({
  tools: field(z.array(z.string()), "Names of tools, or prefixes that end in `*`."),
  timeout_ms: field(z.int(), "How long the product may take to answer."),
  on_error: field(z.enum(ON_HOOK_ERROR), "What happens to a call about which the product did not decide."),
});
export type ToolHookRules = RecordOf<typeof toolHookRules>;

export const setToolHookRequest = z.object({ hook: z.nullable(toolHookRules) });

const reason = z.exactOptional(wellFormedText().check(z.maxLength(LIMITS.reason)));

/** What the product answers. Other fields are ignored, so that a later release may ask for more. */
export const hookVerdict = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("allow") }),
  z.object({ verdict: z.literal("deny"), reason }),
  z.object({ verdict: z.literal("ask") }),
  z.object({ verdict: z.literal("change"), input: keptJson() }),
]);
export type HookVerdict = RecordOf<typeof hookVerdict>;

/** Why the product has not decided, for the model and for people. */
const failed = z.object({ verdict: z.literal("failed"), error: characters(1, 200) });

export const answerHookRequest = z.object({
  turn_id: characters(1, 64),
  tool_call_id: z.string(),
  attempt: integer(1),
  answer: z.discriminatedUnion("verdict", [...hookVerdict.def.options, failed]),
});
export type HookAnswer = RecordOf<typeof answerHookRequest>["answer"];

/** A call of a tool about which the product decides. */
const hookedCall = z.object({
  seq: field(count, "Its number in this process, which rises."),
  attempt: field(count, "How often the engine has asked. Only an answer to the last one counts."),
  task_id: field(z.string(), "Its task."),
  turn_id: field(z.string(), "Its turn."),
  tool_call_id: field(z.string(), "The call's id in the turn."),
  agent: field(z.string(), "The agent that calls."),
  tool: field(z.string(), "The tool's name."),
  input: field(z.record(z.string(), z.unknown()), "Its input."),
});
export type HookedCall = RecordOf<typeof hookedCall>;

/** How long the engine waits for a call about which to ask. */
export const HOOK_WAIT_MS: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 60_000,
  fallback: 0,
  summary: "Wait so long for one",
};

/** Several are sent together as long as they have this size. */
export const HOOK_PAGE_BYTES = LIMITS.inputBytes;
/** With the fields beside the input, whose text may be escaped. */
export const MAX_HOOK_PAGE_BYTES = 2 * HOOK_PAGE_BYTES + 64 * 1024;
export const MAX_HOOK_ANSWER_BYTES = LIMITS.inputBytes + 64 * 1024;

export const TOOL_HOOK_RESPONSES = {
  HookedCalls: z.object({
    calls: field(z.array(hookedCall), "Those after the given number, the oldest first."),
  }),
  HookAnswered: z.object({
    counts: field(z.boolean(), "`false`: the call waits no longer, or was asked about again since."),
  }),
} as const satisfies Record<string, z.ZodMiniType>;
