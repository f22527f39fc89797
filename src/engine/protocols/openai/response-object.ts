import { ENGINE_ERRORS, type EngineErrorCode } from "../../../contract/engine/errors.ts";
import type { SentWith } from "../engine-calls.ts";
import { type AnswerPlace, answerId } from "./ids.ts";
import type { Item } from "./response-items.ts";
import type { AnswerEnd, Tokens } from "./turn-pieces.ts";

export const RESPONSE = "resp_";
/** In the metadata of the turn, beside the client's. Its values are strings, this is an object. */
const OWN_METADATA = "openai";

/** What a response tells of the call that created it. It is stored as the metadata of the turn. */
export interface Created {
  readonly previous_response_id?: string;
  readonly background?: true;
}

export const metadataOf = (own: Readonly<Record<string, string>>, created: Created): Record<string, unknown> => ({
  ...own,
  ...(Object.keys(created).length > 0 && { [OWN_METADATA]: created }),
});

function readMetadata({ [OWN_METADATA]: created, ...own }: SentWith["metadata"]) {
  const isOurs = typeof created === "object" && created !== null;
  return {
    created: isOurs ? (created as Created) : {},
    own: isOurs ? own : { ...own, ...(created !== undefined && { [OWN_METADATA]: created }) },
  };
}

/** The state of an answer. */
export interface ResponseState {
  readonly end: AnswerEnd | null;
  readonly output: readonly Item[];
  readonly tokens: Tokens;
}

/** A response as the protocol has it, but for its state. */
export function responseHead(
  place: AnswerPlace,
  {
    taskId,
    agent,
    startedAt,
    sent,
  }: { readonly taskId: string; readonly agent: string; readonly startedAt: number; readonly sent: SentWith | null },
) {
  const { created, own } = readMetadata(sent?.metadata ?? {});
  const {
    client_tools: tools = [],
    output_schema: schema,
    context = [],
    effort,
  } = (sent?.options ?? {}) as {
    readonly client_tools?: readonly {
      readonly name: string;
      readonly description: string;
      readonly input_schema: object;
    }[];
    readonly output_schema?: object;
    readonly context?: readonly { readonly name: string; readonly content: string }[];
    readonly effort?: string;
  };
  return {
    id: answerId(RESPONSE, place),
    object: "response",
    created_at: Math.floor(startedAt / 1000),
    background: created.background ?? false,
    conversation: { id: taskId },
    instructions: context.find(({ name }) => name === "instructions")?.content ?? null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: own,
    model: agent,
    parallel_tool_calls: true,
    previous_response_id: created.previous_response_id ?? null,
    reasoning: { effort: effort ?? null, summary: null },
    service_tier: "default",
    store: true,
    temperature: null,
    text: {
      format: schema === undefined ? { type: "text" } : { type: "json_schema", name: "output", schema, strict: false },
    },
    tool_choice: "auto",
    tools: tools.map(({ name, description, input_schema: parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    })),
    top_p: null,
    truncation: "disabled",
    user: null,
  };
}
export type ResponseHead = ReturnType<typeof responseHead>;

const STEP_LIMIT = { reason: "max_output_tokens" } as const;

export function responseOf(head: ResponseHead, { end, output, tokens }: ResponseState) {
  return {
    ...head,
    status: statusOf(end),
    error: end?.kind === "failed" && statusOf(end) === "failed" ? errorOf(end) : null,
    incomplete_details: end?.kind === "failed" && end.code === "STEP_LIMIT" ? STEP_LIMIT : null,
    output,
    usage: end === null ? null : usageOf(tokens),
  };
}
export type ResponseObject = ReturnType<typeof responseOf>;

export function statusOf(end: AnswerEnd | null): "in_progress" | "completed" | "failed" | "incomplete" | "cancelled" {
  if (end === null) return "in_progress";
  if (end.kind !== "failed") return "completed";
  if (end.code === "STEP_LIMIT") return "incomplete";
  return end.code === "CANCELLED" ? "cancelled" : "failed";
}

/** The protocol knows few codes; others are `server_error`, and their message says more. */
function errorOf({ code, message }: Extract<AnswerEnd, { kind: "failed" }>) {
  const status = ENGINE_ERRORS[code as EngineErrorCode]?.status ?? 500;
  return { code: status === 429 ? "rate_limit_exceeded" : "server_error", message: `${code}: ${message}` };
}

const usageOf = ({ input, output, cached }: Tokens) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
});
